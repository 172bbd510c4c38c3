/** Authors' texts. The first line names the behaviour of the fake worker. */
export function text(fake: string, body: string): string {
  return `# fake: ${fake}
import os, threading, time
from lfx.custom import Component
from lfx.io import HandleInput, MessageTextInput, Output
from lfx.schema.data import Data
from lfx.schema.message import Message

class C(Component):
    display_name = "C"
    inputs = [HandleInput(name="value", input_types=["Message", "Data", "DataFrame"])]
    outputs = [Output(name="result", display_name="Result", method="result")]

${body}
`;
}

/** A text whose output is computed by these lines. */
export const method = (fake: string, lines: string): string =>
  text(fake, `    def result(self):\n${lines.replace(/^/gm, '        ')}`);

export const echo = method('echo', 'return self.value');
export const pid = method('pid', 'return str(os.getpid())');
export const fails = method('fails', 'raise ValueError("The number is wrong.")');
export const missing = `import nowhere\n${method('missing', 'return 1')}`.replace(
  /^import nowhere\n(.*\n)/,
  '$1import nowhere\n',
);
export const exits = method('exits', 'os._exit(3)');
export const loops = method('loops', 'while True: pass');
export const waits = text(
  'waits',
  '    async def result(self):\n        import asyncio\n        await asyncio.sleep(1000)',
);
export const counts = method(
  'counts',
  'self.ctx["count"] = self.ctx.get("count", 0) + 1\nreturn self.ctx["count"]',
);
export const makes = method('makes', 'thing = object()\nself.ctx["thing"] = thing\nreturn thing');
export const uses = method('uses', 'return self.value is self.ctx["thing"]');
export const streams = method(
  'streams',
  'def parts():\n    for part in "abc":\n        yield part\nreturn Message(text=parts())',
);
export const asks = text(
  'asks',
  '    async def result(self):\n        return await self.get_variable("KEY", "value", None)',
);
export const large = method('large', 'return "x" * (8 << 20)');
export const garbage = method(
  'garbage',
  [
    'import socket, stat',
    'for number in range(3, 64):',
    '    try:',
    '        if stat.S_ISSOCK(os.fstat(number).st_mode):',
    '            socket.socket(fileno=os.dup(number)).sendall(b"\\0\\0\\0\\2{{")',
    '    except OSError:',
    '        pass',
    'time.sleep(1000)',
  ].join('\n'),
);
export const leaves = method(
  'leaves',
  'threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\nreturn str(os.getpid())',
);
