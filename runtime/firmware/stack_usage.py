"""The most stack that a firmware can use, from its disassembly: what each function takes, and who calls whom.

It is read off the code that was linked, so that assembler, libc and what the compiler made of it all at link time are in it, which no
report of the compiler on single files has. Calls through pointers are bounded by where the pointers are: the kernel table, the table
of the model's functions, and what a caller hands over.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping

ENTRY = "kindling_reset"


class UnboundedStack(Exception):
    """There is no bound; the message says of which function."""


@dataclasses.dataclass(frozen=True)
class Instruction:
    address: int
    mnemonic: str  # without condition and width
    conditional: bool
    operands: str


@dataclasses.dataclass
class Function:
    name: str
    code: dict[int, Instruction] = dataclasses.field(default_factory=dict)
    words: dict[int, int] = dataclasses.field(default_factory=dict)  # literals, by address


@dataclasses.dataclass(frozen=True)
class Call:
    """`depth` bytes of the caller's stack are in use; target None for a call through a pointer."""

    depth: int
    target: int | None


@dataclasses.dataclass(frozen=True)
class Frame:
    """What one function does: the most it has on the stack itself, and whom it calls with how much."""

    nbytes: int
    calls: tuple[Call, ...]


@dataclasses.dataclass(frozen=True)
class StackUsage:
    """Bytes from entry to the deepest call, and the functions on the way, with what is in use when each is entered."""

    nbytes: int
    chain: tuple[tuple[str, int], ...]


@dataclasses.dataclass(frozen=True)
class Pointers:
    """Addresses of the functions in the kernel table, kernels and their checks, and of those in the model's table."""

    kernels: tuple[int, ...] = ()
    checks: tuple[int, ...] = ()
    model: tuple[int, ...] = ()


_FUNCTION = re.compile(r"^([0-9a-f]+) <(.*)>:$")
_LINE = re.compile(r"^\s*([0-9a-f]+):\t(\S+)(?:\t(.*))?$")
_CONDITIONS = "eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le"
_STEMS = "push|pop|vpush|vpop|bx|blx|bl|b|ldr|ldm|ldmia|ldmfd|stmdb|stmfd|add|addw|sub|subw|str|strd|mov|cbz|cbnz"
_CONDITIONAL = re.compile(rf"^({_STEMS})({_CONDITIONS})$")
_TARGET = re.compile(r"\b([0-9a-f]+) <")
_LITERAL = re.compile(r"@ \(([0-9a-f]+) <")


def parse(disassembly: str) -> dict[int, Function]:
    """What `objdump --disassemble --no-show-raw-insn` says, by address of function."""
    functions: dict[int, Function] = {}
    function = None
    for line in disassembly.splitlines():
        if match := _FUNCTION.match(line):
            function = functions.setdefault(int(match[1], 16), Function(match[2]))
        elif function and (match := _LINE.match(line)):
            address, mnemonic, operands = int(match[1], 16), match[2], match[3] or ""
            if mnemonic == ".word":
                function.words[address] = int(operands.split()[0], 16)
            elif not mnemonic.startswith("."):
                plain = re.sub(r"\.(n|w|8|16|32|64)$", "", mnemonic)
                conditional = _CONDITIONAL.match(plain)
                # "ble" is a conditional b, "bls" too; "bl" is neither.
                stem = conditional[1] if conditional else plain
                function.code[address] = Instruction(address, stem, bool(conditional), operands)
    return functions


def frame_of(function: Function, entry: int) -> Frame:
    """Follows all ways through the function from an address on. Raises UnboundedStack."""
    addresses = sorted(function.code)
    following = dict(zip(addresses, addresses[1:]))
    depth_at: dict[int, int] = {}
    calls: dict[tuple[int, int | None], None] = {}
    deepest, open_ = 0, [(entry, 0)]
    while open_:
        address, depth = open_.pop()
        if address not in function.code or depth <= depth_at.get(address, -1):
            continue
        if depth > 1 << 20:
            raise UnboundedStack(f"{function.name} takes more stack each time round a loop")
        depth_at[address] = depth
        instruction = function.code[address]
        after = depth + _taken(function, instruction)
        deepest = max(deepest, after)
        jumps, goes_on, call = _flow(function, instruction)
        if call:
            calls[after, call.target] = None
        goes_on_at = [following[address]] if goes_on and address in following else []
        if instruction.mnemonic in ("tbb", "tbh") or "__gnu_thumb1_case" in instruction.operands:
            goes_on_at = [other for other in addresses if other not in depth_at]
        open_ += [(target, after) for target in (*jumps, *goes_on_at)]
        if instruction.conditional and after < depth and goes_on_at:
            open_.append((goes_on_at[0], depth))  # not returned: nothing is given back
    return Frame(deepest, tuple(Call(depth, target) for depth, target in calls))


def _flow(function: Function, instruction: Instruction) -> tuple[list[int], bool, Call | None]:
    """Where in the function it may jump, whether the next instruction may follow, and whom it calls (depth 0 stands for any)."""
    name, operands = instruction.mnemonic, instruction.operands
    match = _TARGET.search(operands)
    target = int(match[1], 16) if match else None
    if name in ("b", "cbz", "cbnz", "le", "letp", "wls", "wlstp") and target is not None:
        inside = target in function.code
        goes_on = name != "b" or instruction.conditional
        return ([target] if inside else []), goes_on, None if inside else Call(0, target)
    if name == "bl":
        return [], True, Call(0, target)
    if name == "blx":
        return [], True, Call(0, target)
    returns = _is_return(function, instruction)
    if name == "bx" and not returns:
        return [], instruction.conditional, Call(0, None)
    return [], not returns or instruction.conditional, None


def _is_return(function: Function, instruction: Instruction) -> bool:
    name, operands = instruction.mnemonic, instruction.operands
    if name == "bx":
        register = operands.split()[0]
        return register == "lr" or _was_popped(function, instruction.address, register)
    loads_pc = name in ("pop", "ldm", "ldmia", "ldmfd") and re.search(r"\bpc\b", operands)
    return bool(loads_pc) or name == "ldr" and operands.startswith("pc, [sp")


def _was_popped(function: Function, before: int, register: str) -> bool:
    """Whether the register got its value from the stack: so Armv6-M returns after arguments that were pushed."""
    for address in sorted((a for a in function.code if a < before), reverse=True):
        earlier = function.code[address]
        if earlier.mnemonic == "pop":
            if re.search(rf"\b{register}\b", earlier.operands):
                return True
        elif re.match(rf"{register}\b", earlier.operands):
            return False
    return False


def _taken(function: Function, instruction: Instruction) -> int:
    """By how many bytes the stack grows. Raises UnboundedStack where that cannot be told."""
    name, operands = instruction.mnemonic, instruction.operands.partition("@")[0].strip()
    if name in ("push", "vpush"):
        return _registers(operands)
    if name in ("pop", "vpop"):
        return -_registers(operands)
    if match := re.match(r"sp!, (\{.*\})", operands):
        return _registers(match[1]) * (1 if name in ("stmdb", "stmfd", "vstmdb") else -1)
    if match := re.search(r"\[sp, #(-?\d+)\]!", operands):
        return -int(match[1])
    if match := re.search(r"\[sp\], #(-?\d+)", operands):
        return -int(match[1])
    if not re.match(r"sp\b", operands) or name.startswith(("stm", "ldm", "cmp")):
        return 0
    sign = {"sub": 1, "subw": 1, "add": -1, "addw": -1}.get(name)
    if sign and (match := re.match(r"sp, (?:sp, )?#(\d+)$", operands)):
        return sign * int(match[1])
    if sign and (match := re.match(r"sp, (?:sp, )?(\w+)$", operands)):
        return sign * _literal(function, instruction, match[1])
    raise UnboundedStack(f"{function.name} sets the stack pointer: {name} {operands}")


def _literal(function: Function, instruction: Instruction, register: str) -> int:
    """The constant that was last loaded into a register before the instruction."""
    for address in sorted((a for a in function.code if a < instruction.address), reverse=True):
        earlier = function.code[address]
        if re.match(rf"{register}\b", earlier.operands):
            match = _LITERAL.search(earlier.operands)
            if earlier.mnemonic != "ldr" or not match or int(match[1], 16) not in function.words:
                break
            word = function.words[int(match[1], 16)]
            return word - (1 << 32) if word >> 31 else word
    raise UnboundedStack(f"{function.name} takes as much stack as a variable says")


def _registers(listed: str) -> int:
    """Bytes of a list such as {r4-r7, lr} or {d8, d9}."""
    nbytes = 0
    for first, last in re.findall(r"([a-z]+\d*)(?:-([a-z]+\d*))?", listed):
        count = int(last[1:]) - int(first[1:]) + 1 if last else 1
        nbytes += count * {"d": 8, "q": 16}.get(first[0] if first[1:].isdigit() else "", 4)
    return nbytes


class StackAnalysis:
    """Of a whole firmware."""

    def __init__(self, functions: Mapping[int, Function], pointers: Pointers):
        self.functions = functions
        self.pointers = pointers
        self.frames: dict[int, Frame] = {}
        self.known: dict[int, StackUsage] = {}

    def address_of(self, name: str) -> int:
        """Raises UnboundedStack if there is no such function."""
        for address, function in self.functions.items():
            if function.name == name:
                return address
        raise UnboundedStack(f"there is no function {name}")

    def usage(self, address: int, callers: tuple[int, ...] = ()) -> StackUsage:
        """Raises UnboundedStack."""
        if address in self.known:
            return self.known[address]
        function = self._function(address)
        if address in callers:
            circle = " -> ".join(self._function(a).name for a in (*callers[callers.index(address) :], address))
            raise UnboundedStack(f"functions call themselves: {circle}")
        frame = self._frame(address)
        nbytes, chain = frame.nbytes, ((function.name, 0),)
        for call in frame.calls:
            for target in self._targets(address, call):
                deeper = self.usage(target, (*callers, address))
                if call.depth + deeper.nbytes > nbytes:
                    nbytes = call.depth + deeper.nbytes
                    chain = ((function.name, 0), *((name, call.depth + depth) for name, depth in deeper.chain))
        self.known[address] = StackUsage(nbytes, chain)
        return self.known[address]

    def _frame(self, address: int) -> Frame:
        if address not in self.frames:
            self.frames[address] = frame_of(self._function(address), address)
        return self.frames[address]

    def _function(self, address: int) -> Function | None:
        """The one that starts there, or that another jumps into there, as libgcc's do."""
        starts = self.functions.get(address)
        return starts or next((function for function in self.functions.values() if address in function.code), None)

    def _targets(self, caller: int, call: Call) -> Iterator[int]:
        if call.target is not None:
            if self._function(call.target) is None:
                raise UnboundedStack(f"{self._function(caller).name} calls {call.target:#x}, where no function is")
            yield call.target
            return
        name = self._function(caller).name
        if "kindling::Method::" in name:
            targets = self.pointers.kernels
        elif "kindling::Binder<" in name:
            targets = self.pointers.checks
        else:
            targets = tuple(self._handed_to(caller)) or self.pointers.model
        if not targets:
            raise UnboundedStack(f"{name} calls through a pointer")
        yield from targets

    def _handed_to(self, callee: int) -> Iterator[int]:
        """Functions whose addresses are literals of those that call the function."""
        for address, function in self.functions.items():
            if any(call.target == callee for call in self._frame_or_nothing(address).calls):
                yield from (word - 1 for word in function.words.values() if word - 1 in self.functions)

    def _frame_or_nothing(self, address: int) -> Frame:
        try:
            return self._frame(address)
        except UnboundedStack:
            return Frame(0, ())
