"""Time in the demo. The policy thinks in minutes; nobody wants to watch an hour pass.

The policy's seconds (looks every 120 s, CPU for 180 s, cooldowns of 300 s) stay exactly what they are in production.
Instead, the demo's clock runs `speed` times as fast as the wall's: at speed 12 a look comes every 10 s, and the `now`
of its observation is 120 s after the one before. Windows of PromQL are the other way round: Prometheus lives in real
time, so two minutes of the policy are ten seconds of its samples.
"""

from __future__ import annotations

from dataclasses import dataclass

LOOK_SECONDS = 120.0
# Prometheus needs two samples for a rate; four leave room for one that came late.
_SAMPLES = 4


@dataclass(frozen=True)
class Pace:
    """`speed` times as fast as the wall's clock, counted from the moment the story began."""

    speed: float
    began_wall: float
    began_epoch: float

    def story_seconds(self, wall: float) -> float:
        """Seconds of the story that have passed at a reading of the wall's (monotonic) clock."""
        return (wall - self.began_wall) * self.speed

    def epoch(self, wall: float) -> float:
        """The `now` of an observation: the time of the schedule, as a scheduled event carries it.

        A look that comes a moment late still belongs to its two minutes; windows are counted in these.
        """
        looks = round(self.story_seconds(wall) / LOOK_SECONDS)
        return self.began_epoch + looks * LOOK_SECONDS

    def wall(self, story_seconds: float) -> float:
        """When, by the wall's clock, the story will be so far."""
        return self.began_wall + story_seconds / self.speed

    def query_window(self, scrape_seconds: int) -> str:
        """A look's length in Prometheus' own seconds, as PromQL wants it."""
        return f"{max(round(LOOK_SECONDS / self.speed), _SAMPLES * scrape_seconds)}s"


def clock_face(story_seconds: float) -> str:
    """12:34 minutes and seconds of the story."""
    minutes, seconds = divmod(round(story_seconds), 60)
    return f"{minutes:02d}:{seconds:02d}"
