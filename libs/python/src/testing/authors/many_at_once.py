# Works on many items at once: asyncio.gather, a thread pool, a thread of its own.
import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from langflow.custom import Component
from langflow.io import IntInput, Output
from langflow.schema import Data


class ManyAtOnce(Component):
    display_name = "Many"
    inputs = [IntInput(name="count", display_name="Count", value=4)]
    outputs = [Output(name="squares", display_name="Squares", method="compute")]

    async def compute(self) -> Data:
        async def square(number: int) -> int:
            await asyncio.sleep(0.001)
            return number * number

        gathered = await asyncio.gather(*(square(number) for number in range(self.count)))
        with ThreadPoolExecutor(max_workers=2) as pool:
            pooled = list(pool.map(lambda number: number + 1, range(self.count)))
        seen: list[str] = []
        thread = threading.Thread(target=lambda: seen.append(self.display_name))
        thread.start()
        thread.join()
        moved = await asyncio.to_thread(sum, pooled)
        return Data(data={"squares": gathered, "pooled": pooled, "seen": seen, "sum": moved})
