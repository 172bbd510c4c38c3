import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { ApiKey } from '../api-key';
import type { ModelRefusal } from '../model-failure';
import { answerRight, text } from './exchange.fixture';
import type { End, Misbehaviour } from './exchange.fixture';
import { misbehaviours } from './misbehaviours.fixture';
import { chatWires, embeddingWires } from './wires.fixture';
import type { Wire } from './wires.fixture';

interface Call {
  readonly wire: Wire;
  readonly fault: Misbehaviour;
  readonly streams: boolean;
}

const wires = [...chatWires, ...embeddingWires];
const counts = new Map<string, number>();
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, kind = '', wireIndex = '', faultIndex = '', form = ''] = (request.url ?? '').split('/');
    const path = `/wrong/${wireIndex}/${faultIndex}/${form}`;
    const asked = counts.get(path) ?? 0;
    counts.set(path, asked + 1);
    const wire = wires[Number(wireIndex)]!;
    const exchange = {
      response,
      method: request.method ?? '',
      asked,
      wire,
      streams: form === 'streamed',
      path,
    };
    request.resume().once('end', () => {
      if (kind === 'right') answerRight(exchange);
      else misbehaviours[Number(faultIndex)]!.answer(exchange);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const context = {
  fetch,
  signal: new AbortController().signal,
  remainingMilliseconds: () => 700_000,
} as ComponentContext;

/** Makes a call and returns how it ended: the answer, or the error. */
async function endOf({ wire, fault, streams }: Call): Promise<{ outcome: unknown; asked: number }> {
  const path = `/wrong/${wires.indexOf(wire)}/${misbehaviours.indexOf(fault)}/${streams ? 'streamed' : 'whole'}`;
  const endpoint = {
    ...{
      provider: 'The provider',
      baseUrl: url + path,
      apiKey: new ApiKey('sk'),
      keyHeader: null,
      headers: {},
    },
    ...{ query: {}, maximumRetries: 1, timeoutMilliseconds: fault.timeoutMilliseconds ?? 600_000 },
  };
  const outcome: unknown = await wire.ask(endpoint, streams, context).catch((error: unknown) => error);
  return { outcome, asked: counts.get(path) ?? 0 };
}

function expectedOf({ fault, streams }: Call): End | null {
  return streams && fault.streamed !== undefined ? fault.streamed : fault.whole;
}

const calls = [
  ...chatWires.flatMap((wire) => [false, true].map((streams) => ({ wire, streams }))),
  ...embeddingWires.map((wire) => ({ wire, streams: false })),
].flatMap((asked) => misbehaviours.map((fault): Call => ({ ...asked, fault })));
const ends = new Map<Call, { readonly outcome: unknown; readonly asked: number }>();

/** Makes all calls: those with a short limit after the others, which keep the process busy. */
beforeAll(async () => {
  const make = async (call: Call): Promise<void> => void ends.set(call, await endOf(call));
  const isHasty = ({ fault }: Call): boolean => fault.timeoutMilliseconds !== undefined;
  await Promise.all(calls.filter((call) => !isHasty(call)).map(make));
  await Promise.all(calls.filter(isHasty).map(make));
}, 180_000);

describe.each([
  ...chatWires.map((wire) => [`the chat client of ${wire.name}`, wire, [false, true]] as const),
  ...embeddingWires.map((wire) => [`the embedding client of ${wire.name}`, wire, [false]] as const),
])('%s', (_, wire, forms) => {
  const own = calls.filter((call) => call.wire === wire && forms.some((form) => form === call.streams));
  test.each(own.map((call) => [call.fault.name, call.streams ? 'streamed' : 'whole', call] as const))(
    '%s (%s)',
    (__, ___, call) => {
      const expected = expectedOf(call);
      const { outcome, asked } = ends.get(call)!;
      if (expected?.says === undefined) {
        expect(outcome).toBe(wire.streamType === null ? 'x'.repeat(text.length) : text);
      } else {
        expect(outcome).toBeInstanceOf(ComponentError);
        const { message, permanent, cause } = outcome as ComponentError;
        expect(message).toMatch(expected.says);
        expect(permanent).toBe(expected.permanent);
        if (expected.status !== undefined && expected.status >= 400) {
          expect((cause as ModelRefusal).status).toBe(expected.status);
        }
      }
      // A redirect asks more often, and so does a stream that begins late on a busy machine.
      if (!/redirect|within the stream/.test(call.fault.name))
        expect(asked).toBe(expected?.retries === true ? 2 : 1);
    },
  );
});

const page = join(__dirname, '../../../../../../docs/chat-models.md');
const table = /(?<=<!-- misbehaviours -->\n)[^]*?(?=<!-- end -->)/;

/** Returns the ends of all calls as a table. */
function documentedTable(): string {
  const describeEnd = (end: End): string => {
    const last = end.says === undefined ? 'answer' : 'error';
    return end.retries === true ? `retry, ${last}` : last;
  };
  const rows = misbehaviours.map((fault) => {
    const streamed = fault.streamed ?? fault.whole;
    return [fault.name, describeEnd(fault.whole), describeEnd(streamed)];
  });
  const all = [['what a server does', 'whole', 'streamed'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`;
  return `\n${line(all[0]!)}${line(widths.map((width) => '-'.repeat(width)))}${all.slice(1).map(line).join('')}\n`;
}

test('docs/chat-models.md has the list (MILLRACE_UPDATE_DOCS=1 writes it)', () => {
  const text = readFileSync(page, 'utf8');
  if (process.env['MILLRACE_UPDATE_DOCS']) writeFileSync(page, text.replace(table, documentedTable()));
  expect(table.exec(text)?.[0]).toBe(documentedTable());
});
