import { gzipSync } from 'node:zlib';
import {
  answered,
  answerRight,
  beginningOf,
  bodyOf,
  inPlaceOfAnswer,
  inStream,
  json,
  pieces,
  refusal,
  send,
  sendParts,
  soon,
  typeOf,
} from './exchange.fixture';
import type { End, Misbehaviour } from './exchange.fixture';

const onceMore: End = { retries: true };
const page = '<!DOCTYPE html><html><head><style>p{}</style><title>Log in</title></head><body></body></html>';
/** The limit of a try, where a server says nothing. */
const timeoutMilliseconds = 3_000;

/** Amazon's streams are binary. */
const isText: Misbehaviour['isPossible'] = ({ streamType }, streams) =>
  !(streams && streamType?.includes('amazon'));

const broken: End = { says: /ended its answer early/, permanent: false };

/** What servers of models and proxies before them have been seen to do, and how a call must end. */
export const misbehaviours: readonly Misbehaviour[] = [
  refusal('400 with an error of the provider', 400, (wire) => JSON.stringify(wire.error('too long')), {
    says: /too long/,
    permanent: true,
  }),
  refusal('400 as vLLM answers', 400, () => '{"object":"error","message":"context of 4096","code":400}', {
    says: /context of 4096/,
    permanent: true,
  }),
  refusal('401', 401, (wire) => JSON.stringify(wire.error('wrong key')), {
    says: /wrong key/,
    permanent: true,
  }),
  refusal(
    '422 as FastAPI answers',
    422,
    () => '{"detail":[{"loc":["body","input"],"msg":"field required","type":"missing"}]}',
    { says: /field required/, permanent: true },
  ),
  refusal(
    '404 with a page',
    404,
    () => '<html><h1>Not Found</h1><hr>nginx</html>',
    { says: /a page that says "Not Found nginx"/, permanent: true },
    { 'content-type': 'text/html' },
  ),
  refusal('429', 429, (wire) => JSON.stringify(wire.error('slow down')), {
    says: /slow down/,
    permanent: false,
    retries: true,
  }),
  refusal('500 without a body', 500, () => '', { says: /500/, permanent: false, retries: true }),
  refusal(
    '502 with a page of 2 MiB',
    502,
    () => `<html><title>Bad Gateway</title>${'<p>x'.repeat(524_288)}`,
    { says: /Bad Gateway/, permanent: false, retries: true },
    { 'content-type': 'text/html' },
  ),
  {
    name: '503 once',
    answer: (exchange) => (exchange.asked === 0 ? send(exchange, 503, json, '{}') : answerRight(exchange)),
    whole: onceMore,
  },
  inPlaceOfAnswer('200 with an error 429', () => '{"error":{"code":429,"message":"upstream limit"}}', {
    says: /upstream limit/,
    status: 429,
    retries: true,
  }),
  inPlaceOfAnswer(
    '200 with an error in words',
    () => '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    { says: /Overloaded/, status: 529, retries: true },
  ),
  {
    name: '200 with an error once',
    answer: (exchange) =>
      exchange.asked === 0
        ? send(exchange, 200, json, '{"error":{"code":502,"message":"upstream"}}')
        : answerRight(exchange),
    whole: onceMore,
  },
  inPlaceOfAnswer('200 with a detail', () => '{"detail":"upstream went away"}', {
    says: /upstream went away/,
  }),
  inPlaceOfAnswer('200 with other JSON', () => '{"object":"list","models":[]}', { says: /"object":"list"/ }),
  {
    ...inPlaceOfAnswer(
      '200 with tool calls of which none can be read',
      () =>
        '{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1"},null]},"finish_reason":"tool_calls"}]}',
      { says: /with tool calls, but sent none that can be read/ },
    ),
    isPossible: ({ name, streamType }) =>
      streamType !== null && (name.startsWith('OpenAI') || name.startsWith('IBM')),
  },
  inPlaceOfAnswer('200 with null', () => 'null', { says: /null/ }),
  inPlaceOfAnswer(
    '200 with a page',
    () => page,
    { says: /a page that says "Log in"/ },
    {
      'content-type': 'text/html',
    },
  ),
  inPlaceOfAnswer('200 without a body', () => '', { says: /empty answer/, retries: true }),
  refusal('204', 204, () => '', { permanent: false, says: /empty answer/, retries: true }),
  {
    name: 'the other form: a stream for a whole answer, or the reverse',
    answer: ({ streams, ...exchange }) => answerRight({ ...exchange, streams: !streams }),
    isPossible: ({ streamType }) => streamType !== null,
    whole: answered,
  },
  {
    name: 'another content type',
    answer: (exchange) => send(exchange, 200, { 'content-type': 'text/html' }, bodyOf(exchange)),
    whole: answered,
  },
  {
    name: 'a cut connection',
    answer: (exchange) => {
      const { response } = exchange;
      response.writeHead(200, { ...soon, 'content-type': typeOf(exchange), 'content-length': 10_000 });
      response.write(beginningOf(exchange), () => response.destroy());
    },
    whole: { says: /^Connection error: .+ could not be reached/, permanent: false, retries: true },
    streamed: { says: /^Connection error: .+ could not be reached/, permanent: false },
  },
  {
    name: 'a body that ends too early',
    answer: (exchange) => send(exchange, 200, { 'content-type': typeOf(exchange) }, beginningOf(exchange)),
    whole: { says: /returned no answer of a model, but/, permanent: false },
    streamed: broken,
  },
  inStream(
    'a stream that ends before its first text',
    (exchange) => sendParts(exchange, exchange.wire.pieces(['']).slice(0, 1)),
    { ...broken, retries: true },
  ),
  inStream(
    'an error within the stream',
    (exchange) =>
      sendParts(exchange, [...exchange.wire.pieces(pieces), exchange.wire.errorPart('upstream died')]),
    { says: /upstream died/, permanent: false },
  ),
  inStream(
    'an event in the middle of the stream that is cut',
    (exchange) => {
      const [first, ...rest] = exchange.wire.pieces(pieces);
      const cut = Buffer.from(
        exchange.wire.streamType === 'text/event-stream' ? 'data: {"choi\n\n' : '{"mess\n',
      );
      sendParts(exchange, [...(first ? [first] : []), cut, ...rest, ...exchange.wire.end]);
    },
    { says: /ended its answer early: \{/, permanent: false },
    isText,
  ),
  inStream(
    'an error at the beginning of the stream',
    (exchange) => sendParts(exchange, [exchange.wire.errorPart('upstream died')]),
    { says: /upstream died/, permanent: false, retries: true },
  ),
  inStream(
    'no end of the connection after the end of the answer',
    (exchange) => sendParts(exchange, [...exchange.wire.pieces(pieces), ...exchange.wire.end], false),
    answered,
  ),
  inStream(
    'the end before the last text, and twice',
    (exchange) => {
      const [end, ...rest] = exchange.wire.end;
      const parts = exchange.wire.pieces(pieces);
      sendParts(exchange, [
        ...parts.slice(0, -1),
        ...(end ? [end] : []),
        ...parts.slice(-1),
        ...(end ? [end] : []),
        ...rest,
      ]);
    },
    answered,
  ),
  {
    name: 'silence',
    answer: () => undefined,
    timeoutMilliseconds,
    whole: { says: /^Request timed out: .+ did not answer in time/, permanent: false, retries: true },
  },
  {
    ...inStream(
      'silence within the stream',
      (exchange) => sendParts(exchange, exchange.wire.pieces(pieces), false),
      { says: /^Request timed out: /, permanent: false },
    ),
    timeoutMilliseconds,
  },
  {
    name: 'a body that arrives byte by byte',
    answer: (exchange) => {
      exchange.response.writeHead(200, { 'content-type': typeOf(exchange) });
      exchange.response.socket?.setNoDelay(true);
      const bytes = [...bodyOf(exchange)];
      const next = (): void => {
        const byte = bytes.shift();
        if (byte === undefined) exchange.response.end();
        else exchange.response.write(Buffer.from([byte]), () => setImmediate(next));
      };
      next();
    },
    whole: answered,
  },
  {
    name: 'a body of 100 MiB',
    answer: ({ response, ...exchange }) => {
      response.writeHead(200, {
        'content-type': typeOf({ response, ...exchange }),
        'content-length': 104_857_600,
      });
      response.write(' '.repeat(1000));
    },
    whole: { says: /answered with more than 64 MiB/, permanent: true },
  },
  {
    name: 'a redirect 307 to the right address',
    answer: (exchange) => send(exchange, 307, { location: exchange.path.replace('wrong', 'right') }, ''),
    whole: answered,
  },
  {
    name: 'a redirect 302 to a page',
    answer: (exchange) =>
      exchange.method === 'POST'
        ? send(exchange, 302, { location: exchange.path }, '')
        : send(exchange, 200, { 'content-type': 'text/html' }, page),
    whole: { says: /a page that says "Log in"/, permanent: false },
  },
  {
    name: 'a redirect to itself',
    answer: (exchange) => send(exchange, 307, { location: exchange.path }, ''),
    whole: { says: /could not be reached: .*redirect/, permanent: false, retries: true },
  },
  {
    name: 'a body that is not compressed as its header says',
    answer: (exchange) =>
      send(exchange, 200, { 'content-type': typeOf(exchange), 'content-encoding': 'gzip' }, bodyOf(exchange)),
    whole: { says: /cannot be decompressed/, permanent: false, retries: true },
  },
  {
    name: 'a compressed body',
    answer: (exchange) =>
      send(
        exchange,
        200,
        { 'content-type': typeOf(exchange), 'content-encoding': 'gzip' },
        gzipSync(bodyOf(exchange)),
      ),
    whole: answered,
  },
  {
    name: 'a compressed body without its header',
    answer: (exchange) =>
      send(exchange, 200, { 'content-type': typeOf(exchange) }, gzipSync(bodyOf(exchange))),
    whole: { says: /returned no answer of a model/, permanent: false },
  },
  {
    name: 'a header with another charset than that of the body',
    answer: (exchange) =>
      send(exchange, 200, { 'content-type': `${typeOf(exchange)}; charset=iso-8859-1` }, bodyOf(exchange)),
    whole: answered,
  },
  {
    name: 'Latin-1',
    answer: (exchange) =>
      send(
        exchange,
        200,
        { 'content-type': typeOf(exchange) },
        Buffer.from(bodyOf(exchange).toString('utf8'), 'latin1'),
      ),
    isPossible: isText,
    whole: answered,
  },
  {
    name: 'a byte order mark',
    answer: (exchange) =>
      send(
        exchange,
        200,
        { 'content-type': typeOf(exchange) },
        Buffer.concat([Buffer.from('\ufeff'), bodyOf(exchange)]),
      ),
    isPossible: isText,
    whole: answered,
  },
  {
    name: 'bytes that are not HTTP',
    answer: ({ response }) => void response.socket?.end('nonsense\r\n\r\n'),
    whole: { says: /^Connection error: .+ could not be reached/, permanent: false, retries: true },
  },
  {
    name: 'a connection that is closed without an answer, once',
    answer: (exchange) => {
      if (exchange.asked === 0) exchange.response.destroy();
      else answerRight(exchange);
    },
    whole: onceMore,
  },
];
