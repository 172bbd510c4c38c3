import { setTimeout as pause } from 'node:timers/promises';
import { machineTime } from '@millrace/service';

const POLL_MILLISECONDS = 100;
const POLL_LIMIT_MILLISECONDS = 30_000;
const QUESTION = 'Why do mills stand by rivers?';
/** Sets the answer of the model server and its speed; the demo does not print it. */
const DIRECTIVE = ' [[interval=60 reply="Because falling water turns the wheel, and the wheel the stones."]]';

interface RunAnswer {
  readonly outputs: readonly {
    readonly outputs: readonly { readonly results: { readonly message: { readonly text: string } } }[];
  }[];
}

interface RunRecord {
  readonly status: string;
  readonly result: RunAnswer | null;
}

/**
 * Runs example flows over HTTP: with one response, streamed, and by webhook. Prints each result; rejects when one
 * fails.
 */
export async function demo(url: string, key: string, print: (line: string) => void): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const question = JSON.stringify({ input_value: QUESTION + DIRECTIVE, session_id: 'demo' });

  print('\n1. A run with one response: Chat Input → Prompt → Language Model → Chat Output');
  const whole = await fetch(`${url}/api/v1/run/chat`, { method: 'POST', headers, body: question });
  print(`   ${whole.status} ${textOf((await expectOk(whole).json()) as RunAnswer)}`);

  print('\n2. The same flow, streamed:');
  const streamed = await fetch(`${url}/api/v1/run/chat?stream=true`, {
    method: 'POST',
    headers,
    body: question,
  });
  const tokens = await showStream(expectOk(streamed), print);
  if (tokens < 3) throw new Error(`only ${tokens} token events were received`);

  print('\n3. By webhook: Webhook → Parser → Prompt → Chat Output');
  const order = JSON.stringify({ customer: 'Ann', quantity: 3, product: 'pencils' });
  const accepted = expectOk(
    await fetch(`${url}/api/v1/webhook/order-webhook`, { method: 'POST', headers, body: order }),
  );
  const acknowledgement = (await accepted.json()) as { readonly run_id: string };
  print(`   ${accepted.status} ${JSON.stringify(acknowledgement)}`);
  const run = await waitForRun(`${url}/api/v1/runs/${acknowledgement.run_id}`, headers, print);
  if (run.status !== 'succeeded' || !run.result)
    throw new Error(`the run of the webhook ended as ${run.status}`);
  print(`   ${run.status}: ${textOf(run.result)}`);
}

function expectOk(response: Response): Response {
  if (!response.ok) throw new Error(`${response.url} responded with ${response.status}`);
  return response;
}

function textOf(answer: RunAnswer): string {
  return answer.outputs[0]?.outputs[0]?.results.message.text ?? '(no output)';
}

/** Prints events as they arrive; resolves to the number of tokens. */
async function showStream(response: Response, print: (line: string) => void): Promise<number> {
  const started = performance.now();
  const decoder = new TextDecoder();
  let buffered = '';
  let tokens = 0;
  for await (const chunk of response.body ?? []) {
    buffered += decoder.decode(chunk as Uint8Array, { stream: true });
    const events = buffered.split('\n\n');
    buffered = events.pop() ?? '';
    for (const text of events) {
      const { event, data } = JSON.parse(text) as { event: string; data: Record<string, unknown> };
      if (event === 'token') tokens += 1;
      if (event === 'error') throw new Error(`the streamed run failed: ${JSON.stringify(data)}`);
      const shown =
        event === 'token'
          ? JSON.stringify(data['chunk'])
          : event === 'add_message'
            ? JSON.stringify(data['text']).replace(JSON.stringify(DIRECTIVE).slice(1, -1), '')
            : '';
      print(
        `   ${String(Math.round(performance.now() - started)).padStart(5)} ms  ${event.padEnd(12)} ${shown}`,
      );
    }
  }
  return tokens;
}

async function waitForRun(
  url: string,
  headers: Record<string, string>,
  print: (line: string) => void,
): Promise<RunRecord> {
  const giveUpAt = machineTime() + POLL_LIMIT_MILLISECONDS;
  let shown = '';
  for (;;) {
    const run = (await expectOk(await fetch(url, { headers })).json()) as RunRecord;
    if (run.status !== shown) print(`   ${run.status}`);
    shown = run.status;
    if (!['accepted', 'queued', 'running'].includes(run.status) || machineTime() > giveUpAt) return run;
    await pause(POLL_MILLISECONDS);
  }
}
