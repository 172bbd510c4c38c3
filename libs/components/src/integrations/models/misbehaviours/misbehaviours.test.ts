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
  readonly expected: End;
}

/** How a call ended: the answer or the error, and how often the client asked. Redirects are no tries. */
interface Observed {
  readonly outcome: unknown;
  readonly tries: number;
}

const wires = [...chatWires, ...embeddingWires];
/** How often each address was asked. */
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
  signal: new AbortController().signal,
  remainingMilliseconds: () => 700_000,
};

async function endOf({ wire, fault, streams }: Call): Promise<Observed> {
  const path = `/wrong/${wires.indexOf(wire)}/${misbehaviours.indexOf(fault)}/${streams ? 'streamed' : 'whole'}`;
  const endpoint = {
    provider: 'The provider',
    baseUrl: url + path,
    apiKey: new ApiKey('sk'),
    keyHeader: null,
    headers: {},
    query: {},
    maximumRetries: 1,
    timeoutMilliseconds: fault.timeoutMilliseconds ?? 600_000,
  };
  let tries = 0;
  const counted: ComponentContext['fetch'] = (...request) => {
    tries += 1;
    return fetch(...request);
  };
  const outcome: unknown = await wire
    .ask(endpoint, streams, { ...context, fetch: counted } as ComponentContext)
    .catch((error: unknown) => error);
  return { outcome, tries };
}

const calls = [
  ...chatWires.flatMap((wire) => [false, true].map((streams) => ({ wire, streams }))),
  ...embeddingWires.map((wire) => ({ wire, streams: false })),
].flatMap(({ wire, streams }) =>
  misbehaviours
    .filter(({ isPossible }) => isPossible?.(wire, streams) ?? true)
    .map((fault): Call => {
      const expected = streams ? (fault.streamed ?? fault.whole) : fault.whole;
      return { wire, streams, fault, expected };
    }),
);
const ends = new Map<Call, Observed>();

/** Makes all calls: those with a short limit after the others, which keep the process busy. */
beforeAll(async () => {
  const make = async (call: Call): Promise<void> => {
    ends.set(call, await endOf(call));
    // On a busy machine the stream can begin after the limit.
    if (call.fault.name === 'silence within the stream' && ends.get(call)!.tries > 1)
      ends.set(call, await endOf(call));
  };
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
      const { expected } = call;
      const { outcome, tries } = ends.get(call)!;
      if (expected.says === undefined) {
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
      expect(tries).toBe(expected.retries === true ? 2 : 1);
    },
  );
});

const page = join(__dirname, '../../../../../../docs/use/chat-models.md');

/** Returns how a call ended, as the legend of the page has it. */
function codeOf(call: Call): string {
  const { outcome, tries } = ends.get(call)!;
  return `${tries > 1 ? 'R' : ''}${outcome instanceof ComponentError ? 'E' : 'A'}`;
}

/** Returns the rows of the observed ends of the clients: a fault, and what each client did. */
function observedRows(clients: readonly Wire[]): readonly (readonly string[])[] {
  const cellOf = (fault: Misbehaviour, wire: Wire): string => {
    const forms = wire.streamType === null ? [false] : [false, true];
    const codes = forms.map((streams) => {
      const call = calls.find((one) => one.wire === wire && one.fault === fault && one.streams === streams);
      return call === undefined ? '–' : codeOf(call);
    });
    return [...new Set(codes)].join(' / ');
  };
  return misbehaviours
    .filter((fault) => calls.some((call) => call.fault === fault && clients.includes(call.wire)))
    .map((fault) => [fault.name, ...clients.map((wire) => cellOf(fault, wire))]);
}

function isShared([, first, ...others]: readonly string[]): boolean {
  return others.every((cell) => cell === first);
}

/** Returns what all clients of some rows did, by fault. */
function sharedCodes(rows: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  return new Map(rows.filter(isShared).map(([name = '', code = '']) => [name, code]));
}

/**
 * Returns the observed ends of the clients: a list of those that all clients share, without those that the page lists already,
 * then a row for each other fault, a column for each client.
 */
function documentedTable(clients: readonly Wire[], listed: ReadonlyMap<string, string>): string {
  const rows = observedRows(clients);
  const added = [...sharedCodes(rows)].filter(([name, code]) => listed.get(name) !== code);
  const list = [...Map.groupBy(added, ([, code]) => code)]
    .map(([code, faults]) => `- ${code}: ${faults.map(([name]) => name).join('; ')}\n`)
    .join('');
  const others = rows.filter((row) => !isShared(row));
  if (others.length === 0) return `\n${list}\n`;
  const all = [['what a server does', ...clients.map(({ name }) => name)], ...others];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`;
  return `\n${list}\n${line(all[0]!)}${line(widths.map((width) => '-'.repeat(width)))}${all.slice(1).map(line).join('')}\n`;
}

test.each([
  ['chat', chatWires],
  ['embedding', embeddingWires],
] as const)(
  'docs/use/chat-models.md has the ends of the %s clients (MILLRACE_UPDATE_DOCS=1 writes them)',
  (kind, clients) => {
    const table = new RegExp(`(?<=<!-- ${kind} clients -->\\n)[^]*?(?=<!-- end -->)`);
    const content = readFileSync(page, 'utf8');
    const listed = kind === 'chat' ? new Map<string, string>() : sharedCodes(observedRows(chatWires));
    const wanted = documentedTable(clients, listed);
    if (process.env['MILLRACE_UPDATE_DOCS']) writeFileSync(page, content.replace(table, wanted));
    else expect(table.exec(content)?.[0]).toBe(wanted);
  },
);
