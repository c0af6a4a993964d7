#include "runtime/method.h"

#include "runtime/bind_method.h"
#include "runtime/binder.h"

namespace kindling {

template <Verification kVerification>
Error Method::init(const Program& program, uint32_t method, const Environment& environment) {
  return bind<Binder<kVerification>>(program, method, environment);
}

template Error Method::init<Verification::kNone>(const Program&, uint32_t, const Environment&);
template Error Method::init<Verification::kStructure>(const Program&, uint32_t, const Environment&);
template Error Method::init<Verification::kFull>(const Program&, uint32_t, const Environment&);

}  // namespace kindling
