/** @typedef {{ readonly name: string, readonly path: string }} Frame A function and its source file. */

/**
 * Assigns functions of a service to hops by their source file. The first rule that matches `path` (and `name`, where it
 * has one) decides; a function without a rule, such as one of Node.js, belongs to the hop of its caller. A `weak` rule
 * applies only without a known caller.
 * @type {readonly { hop: string, name?: RegExp, path?: RegExp, weak?: boolean }[]}
 */
const rules = [
  { hop: 'garbage collection', name: /^\(garbage collector\)$/ },
  { hop: 'native code and system calls', name: /^\(program\)$/ },
  {
    hop: 'logs, metrics and traces',
    path: /opentelemetry|\/pino|libs\/service\/src\/(?:logging|telemetry|metrics)/,
  },
  {
    hop: 'answer',
    path: /node:_http_outgoing|http\/answers\/|gateway\/src\/run-answers\/|send-http-error/,
  },
  {
    hop: 'answer',
    path: /node:_http_server/,
    name: /^(?:writeHead|_writeHead|resOnFinish|onServerResponseClose|detachSocket|clearIncoming)$/,
  },
  {
    hop: 'body and validation',
    path: /http\/(?:bodies\/|validation\/(?!query))|find-json-excess|webhook-body|run-request|\/ajv/,
  },
  {
    hop: 'key and flow',
    path: /authentication\/|libs\/access\/|hash-api-key|resources\/flows\/|webhook-authenticator|signatures\//,
  },
  {
    hop: 'routing',
    path: /node_modules\/(?:express|router|path-to-regexp|parseurl|finalhandler|on-finished|ee-first)\/|http\/(?:routing\/|validation\/query)|-routes\.ts/,
  },
  {
    hop: 'reading the request',
    path: /node:_http|http\/(?:request-hook|silent-connections)|libs\/http\/src\/body\/(?:read-body|body-budget)/,
  },
  {
    hop: 'publish',
    path: /messaging\/src\/rabbitmq\/(?:publisher|publish-window|cork-writes)|publish-job|run-publisher|replies\/replies|measured-bus|libs\/messages\//,
  },
  { hop: 'publish', path: /amqplib/, name: /publish|handleConfirm|confirm|encode|sendMessage|sendContent/i },
  { hop: 'consume', path: /messaging\/|in-flight-runs|read-job|executor\/src\/executor\.ts/ },
  {
    hop: 'consume',
    path: /amqplib/,
    name: /accept|recv|parse|decode|handleDeliver|dispatch|onBuf|processMessage|processDeliver|loop/i,
  },
  { hop: 'consume', path: /amqplib/, weak: true },
  {
    hop: 'session in Redis',
    path: /libs\/key-value\/|ioredis|redis-parser|libs\/runs\/src\/messages\/session-history|run-messages/,
  },
  {
    hop: 'record in PostgreSQL',
    path: /libs\/database\/|libs\/runs\/|node_modules\/(?:pg|pg-[\w-]+|postgres-[\w-]+)\/|group-writes/,
  },
  { hop: 'engine', path: /libs\/(?:engine|flow|components)\// },
  { hop: 'the run around the engine', path: /apps\/executor\// },
  { hop: 'pending runs', path: /apps\/gateway\/src\/runs\// },
  { hop: 'webhook', path: /apps\/ingest\// },
  { hop: 'event loop', weak: true },
];

/**
 * Returns the hop of a frame. `calling` is the hop of its caller, or undefined at the root.
 * @param {Frame} frame
 * @param {string | undefined} calling
 * @returns {string | undefined}
 */
export function hopOf({ name, path }, calling) {
  const rule = rules.find(
    (one) =>
      (one.path?.test(path) ?? true) &&
      (one.name?.test(name) ?? true) &&
      !(one.weak === true && calling !== undefined),
  );
  return rule?.hop ?? calling;
}
