"""Learns the range of a tensor from calibration data, and chooses scale and zero point."""

import numpy as np
import torch
from torchao.quantization.pt2e import UniformQuantizationObserverBase

BINS = 2048
CANDIDATES = 64  # clipping points tried on either side
MANTISSA_BITS = 12

# The least scale: far below any signal, and its products with other scales are still numbers.
SMALLEST_SCALE = 2.0**-60


class NotFinite(Exception):
    """A tensor to observe holds NaN or infinity."""


class RangeObserver(UniformQuantizationObserverBase):
    """Keeps a histogram of all values seen; the scale minimises the expected squared error of quantisation.

    The histogram spans ±2^k and doubles k by merging neighbouring bins, so that the order of samples does not matter. The error
    of a clipping range is the usual sum of rounding noise, step²/12 inside it, and the squared distance of what lies outside.
    """

    def __init__(self, **arguments) -> None:
        super().__init__(**arguments)
        self.counts = np.zeros(BINS, np.float64)
        self.exponent: int | None = None
        self.minimum = np.inf
        self.maximum = -np.inf

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values = x.detach().numpy().ravel()
        if values.size:
            self._record(values)
        return x

    def _record(self, values: np.ndarray) -> None:
        low, high = float(values.min()), float(values.max())
        if not np.isfinite([low, high]).all():
            raise NotFinite
        self.minimum, self.maximum = min(self.minimum, low), max(self.maximum, high)
        largest = max(-low, high)
        # frexp: largest = m * 2^e with m < 1, so it lies inside ±2^e.
        wanted = int(np.frexp(largest)[1]) if largest > 0 else -126
        if self.exponent is None:
            self.exponent = wanted
        while self.exponent < wanted:
            self._double()
        limit = np.ldexp(1.0, self.exponent)
        self.counts += np.histogram(values.astype(np.float64), BINS, (-limit, limit))[0]

    def _double(self) -> None:
        merged = self.counts.reshape(-1, 2).sum(axis=1)
        self.counts = np.zeros(BINS, np.float64)
        self.counts[BINS // 4 : BINS * 3 // 4] = merged
        self.exponent += 1

    @property
    def empty(self) -> bool:
        return self.exponent is None

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        low, high = self._best_range()
        # Nothing is known of a tensor that was always 0. With a scale of 1 the factors of what makes it are those of any other.
        scale = max(_rounded_up((high - low) / (self.quant_max - self.quant_min)), SMALLEST_SCALE) if low < high else 1.0
        zero_point = int(np.clip(self.quant_min - np.rint(low / scale), self.quant_min, self.quant_max))
        return torch.tensor([scale], dtype=torch.float32), torch.tensor([zero_point], dtype=torch.int64)

    def _best_range(self) -> tuple[float, float]:
        """The clipping range, which holds 0, of least expected squared error."""
        if self.empty:
            return 0.0, 0.0
        limit = np.ldexp(1.0, self.exponent)
        width = 2 * limit / BINS
        centres = -limit + width * (np.arange(BINS) + 0.5)
        fractions = np.arange(1, CANDIDATES + 1) / CANDIDATES
        lows = min(self.minimum, 0.0) * fractions if self.minimum < 0 else np.zeros(1)
        highs = max(self.maximum, 0.0) * fractions if self.maximum > 0 else np.zeros(1)
        below = (np.maximum(lows[:, None] - centres, 0.0) ** 2) @ self.counts
        above = (np.maximum(centres - highs[:, None], 0.0) ** 2) @ self.counts
        step = (highs[None, :] - lows[:, None]) / (self.quant_max - self.quant_min)
        error = below[:, None] + above[None, :] + self.counts.sum() * step**2 / 12
        # The widest of equally good ranges: the last minimum.
        flat = error[::-1, ::-1].argmin()
        i, j = np.unravel_index(flat, error.shape)
        return float(lows[::-1][i]), float(highs[::-1][j])


def _rounded_up(scale: float) -> float:
    """To 12 bits of mantissa: what another machine's floating point adds to the last bits then rarely changes the result."""
    mantissa, exponent = np.frexp(scale)
    return float(np.ldexp(np.ceil(mantissa * 2**MANTISSA_BITS), exponent - MANTISSA_BITS))
