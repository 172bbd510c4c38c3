import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jsonFraming, serverSentFraming } from './event-framing';
import { StreamedAnswer } from './streamed-answer';

test('a stream of a silent run is kept alive until its end', async () => {
  const answers: StreamedAnswer[] = [];
  const server = createServer((_request, response) => {
    answers.push(
      new StreamedAnswer({
        response,
        headers: {},
        framing: serverSentFraming(),
        onOverflow: () => undefined,
        keepAliveMilliseconds: 5,
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    let text = '';
    for await (const chunk of answer.body ?? []) {
      const isFirst = text === '';
      text += Buffer.from(chunk).toString();
      if (isFirst) answers[0]?.succeed(Buffer.from('{}'), 1);
    }
    expect(text).toMatch(/^(: keep-alive\n\n)+id: 1\nevent: end\ndata: \{"result": \{\}\}\n\n$/);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('an event larger than what a reader may leave unread reaches a reader that reads', async () => {
  let overflows = 0;
  const server = createServer((_request, response) => {
    const onOverflow = () => (overflows += 1);
    const answer = new StreamedAnswer({ response, headers: {}, framing: jsonFraming, onOverflow });
    const line = JSON.stringify({ event: 'token', data: { chunk: 'x'.repeat(12_000_000) } });
    answer.events(Buffer.from(`${line}\n`), 1);
    setTimeout(() => answer.succeed(Buffer.from('{}'), 1), 300);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const text = await answer.text();
    expect(text.length).toBeGreaterThan(12_000_000);
    expect(text.trimEnd().endsWith('{"event": "end", "data": {"result": {}}}')).toBe(true);
    expect(overflows).toBe(0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
