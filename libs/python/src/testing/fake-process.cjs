// A process of the fake worker: speaks the protocol of the Python worker. The first line of a component's text names
// what it does: `# fake: echo`.
'use strict';
const { connect } = require('node:net');

const options = JSON.parse(process.argv[2]);
const texts = new Map();
const state = { context: {}, objects: 0 };
const socket = connect(options.socket);
const calls = new Map();
let lastCall = 0;

const framed = (json) => {
  const body = Buffer.from(json);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
};
const send = (frame) => socket.write(framed(JSON.stringify(frame)));

/** Parses a frame; the value of the field `value` stays a text in `given` as well. */
const parse = (json) => {
  const [, before, given, after] = /^(.*"fields": \{"value": )(.*)(\}, "wanted": .*)$/.exec(json) ?? [];
  if (given === undefined) return JSON.parse(json);
  const plain = /NaN/.test(given) ? 'null' : given;
  return { ...JSON.parse(before + plain + after), given };
};

const call = (run, method, args) =>
  new Promise((resolve, reject) => {
    lastCall += 1;
    calls.set(lastCall, { resolve, reject });
    send({ call: lastCall, run, method, args });
  });

const failure = (type, text, module) => Object.assign(new Error(text), { type, module });

const behaviours = {
  // As it arrived, because JSON.parse does not tell floats from integers.
  echo: ({ run, given }) => socket.write(framed(`{"done":${run},"outputs":{"result":${given}}}`)),
  pid: () => ({ outputs: { result: String(process.pid) } }),
  fails: () => {
    throw failure('ValueError', 'The number is wrong.');
  },
  missing: () => {
    throw failure(
      'ValueError',
      "Error creating class. ModuleNotFoundError(No module named 'nowhere').",
      'nowhere',
    );
  },
  exits: () => process.exit(3),
  loops: () => {
    for (;;);
  },
  waits: () => new Promise(() => {}),
  counts: () => {
    const count = (state.context.count ?? 0) + 1;
    state.context.count = count;
    return { outputs: { result: count }, repeatable: true, context: { set: { count }, removed: [] } };
  },
  makes: () => {
    state.objects += 1;
    return { outputs: { result: { $object: { ref: state.objects, type: 'Thing' } } } };
  },
  uses: ({ fields }) => ({ outputs: { result: fields.value.$ref === state.objects } }),
  streams: () => ({ outputs: { result: { $message: { text: '', fields: {}, stream: 7 } } } }),
  asks: async ({ run }) => ({ outputs: { result: await call(run, 'variable', { name: 'KEY' }) } }),
  large: () => ({ outputs: { result: 'x'.repeat(2 * options.maximumFrameBytes) } }),
  garbage: () => {
    socket.write(Buffer.from([0, 0, 0, 2, 0x7b, 0x7b]));
    return new Promise(() => {});
  },
  leaves: () => {
    setInterval(() => {}, 1_000);
    state.leftThreads = 1;
    return { outputs: { result: String(process.pid) } };
  },
};

async function answer(number, work) {
  try {
    send({ done: number, ...(await work()) });
  } catch (error) {
    send({
      failed: number,
      type: error.type ?? 'Error',
      text: error.message,
      trace: '',
      module: error.module,
    });
  }
}

function receive(frame) {
  if ('answer' in frame) {
    const { resolve, reject } = calls.get(frame.answer);
    if ('error' in frame) reject(failure('HostError', frame.error));
    else resolve(frame.value);
  } else if ('run' in frame) {
    if (frame.code !== undefined) texts.set(frame.codeHash, frame.code);
    const [, name] = /^# fake: (\w+)/.exec(texts.get(frame.codeHash) ?? '') ?? [];
    if (name === 'echo') behaviours.echo(frame);
    else void answer(frame.run, () => behaviours[name](frame));
  } else if ('use' in frame) {
    void answer(frame.use, async () => {
      if (frame.method === 'text.read')
        for (const data of ['a', 'b', 'c']) send({ event: 'chunk', run: frame.use, data });
      return { value: null };
    });
  } else if ('restore' in frame) {
    Object.assign(state.context, frame.restore.set);
  } else if ('reset' in frame) {
    state.context = {};
    send({
      done: frame.reset,
      value: { tasks: 0, threads: state.leftThreads ?? 0, bytes: 1, cpuMilliseconds: 1 },
    });
  }
}

let received = Buffer.alloc(0);
socket.on('data', (chunk) => {
  received = Buffer.concat([received, chunk]);
  while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
    const end = 4 + received.readUInt32BE(0);
    const frame = parse(received.toString('utf8', 4, end));
    received = received.subarray(end);
    receive(frame);
  }
});
socket.on('close', () => process.exit(0));
socket.on('error', () => process.exit(0));
send({
  hello: options.token,
  protocol: 1,
  pid: process.pid,
  lfx: 'fake',
  python: '3.11.0',
  sealed: {
    level: 'open',
    layers: options.seal === null ? {} : { seccomp: 'not available in the fake worker' },
  },
});
