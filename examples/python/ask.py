"""A tool that asks the user, in every revision of the protocol."""

from dataclasses import dataclass
from typing import Literal

from mcplite import Context, Server

server = Server("ask", version="1.0")


@dataclass
class Trip:
    city: str
    days: int = 3


@server.tool
async def plan(ctx: Context, budget: float) -> str:
    """Plans a trip."""
    trip = await ctx.elicit("Where to, and for how long?", Trip)
    if not trip.accepted:
        return "then we stay at home"
    # What must not happen twice, whatever the protocol does in between.
    price = await ctx.once("price", look_up, trip.data.city)
    if price * trip.data.days > budget:
        choice = await ctx.elicit("That is too much. What now?", Literal["shorter", "cheaper"])
        return f"we make it {choice.data}" if choice.accepted else "never mind"
    return f"{trip.data.days} days in {trip.data.city}"


async def look_up(city: str) -> int:
    return 10 * len(city)


if __name__ == "__main__":
    server.run()
