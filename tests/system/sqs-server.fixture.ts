import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, { readonly DataType: string; readonly StringValue: string }>>;
  receives: number;
  visibleAt: number;
  receipt: string;
}

type Input = Readonly<Record<string, unknown>>;

/** The members of each operation, with those that are required marked by `!`. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  ReceiveMessage: [
    'QueueUrl!',
    'MaxNumberOfMessages',
    'WaitTimeSeconds',
    'VisibilityTimeout',
    'MessageSystemAttributeNames',
    'MessageAttributeNames',
  ],
  DeleteMessage: ['QueueUrl!', 'ReceiptHandle!'],
  ChangeMessageVisibility: ['QueueUrl!', 'ReceiptHandle!', 'VisibilityTimeout!'],
  SendMessage: ['QueueUrl!', 'MessageBody!', 'MessageAttributes'],
};

class Refusal extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** What happened to the messages of the fake, in order. */
export interface SqsEvent {
  readonly action: 'received' | 'deleted' | 'delayed';
  readonly id: string;
}

/**
 * A strict fake of Amazon SQS: its JSON protocol with long polling, visibility timeouts, receive counts, receipt handles
 * that only the last receipt makes valid, and digests of the bodies. It does not compute signatures.
 */
export class FakeSqs {
  readonly events: SqsEvent[] = [];
  /** Called when a message is deleted. */
  onDeleted: (id: string) => void = () => undefined;
  readonly #queues = new Map<string, Message[]>();
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  static async start(): Promise<FakeSqs> {
    const sqs = new FakeSqs();
    sqs.#server.listen(0, '127.0.0.1');
    await once(sqs.#server, 'listening');
    return sqs;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Makes a queue; returns its URL. */
  createQueue(name: string): string {
    const url = `${this.url}/123456789012/${name}`;
    this.#queues.set(url, []);
    return url;
  }

  /** Sends a message; returns its id. */
  send(queue: string, body: string, attributes: Message['attributes'] = {}): string {
    const id = randomUUID();
    this.#queue(queue).push({ id, body, attributes, receives: 0, visibleAt: 0, receipt: '' });
    return id;
  }

  /** The messages of a queue that are not deleted. */
  messages(queue: string): readonly Message[] {
    return this.#queue(queue);
  }

  /** Makes all messages of a queue visible, as at the end of their visibility timeouts. */
  showAll(queue: string): void {
    for (const message of this.#queue(queue)) message.visibleAt = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers });
      response.end(JSON.stringify(body));
    };
    try {
      const text = Buffer.concat(await request.toArray()).toString();
      const action = /^AmazonSQS\.(\w+)$/.exec(String(request.headers['x-amz-target']))?.[1] ?? '';
      answer(200, await this.#answer(action, checkedInput(request, action, text), request));
    } catch (error) {
      if (!(error instanceof Refusal)) return void response.destroy();
      const { type, message } = error;
      answer(
        400,
        { __type: `com.amazonaws.sqs#${type}`, message },
        { 'x-amzn-query-error': `${type};Sender` },
      );
    }
  }

  async #answer(action: string, input: Input, request: IncomingMessage): Promise<object> {
    const queue = this.#queue(String(input['QueueUrl']));
    if (action === 'SendMessage') {
      const body = String(input['MessageBody']);
      if (body === '') throw new Refusal('MissingParameter', 'The request must contain MessageBody.');
      const attributes = (input['MessageAttributes'] ?? {}) as Message['attributes'];
      const MessageId = this.send(String(input['QueueUrl']), body, attributes);
      return { MessageId, MD5OfMessageBody: md5(body) };
    }
    if (action === 'ReceiveMessage') return this.#receive(queue, input, request);
    const receipt = String(input['ReceiptHandle']);
    const index = queue.findIndex((message) => message.receipt === receipt);
    const message = queue[index];
    if (message === undefined)
      throw new Refusal('ReceiptHandleIsInvalid', 'The receipt handle is not valid.');
    if (action === 'DeleteMessage') {
      this.onDeleted(message.id);
      queue.splice(index, 1);
      this.events.push({ action: 'deleted', id: message.id });
      return {};
    }
    message.visibleAt = performance.now() + numberIn(input, 'VisibilityTimeout', 0, 43_200) * 1_000;
    this.events.push({ action: 'delayed', id: message.id });
    return {};
  }

  async #receive(queue: Message[], input: Input, request: IncomingMessage): Promise<object> {
    const count = numberIn(input, 'MaxNumberOfMessages', 1, 10);
    const visibility = numberIn(input, 'VisibilityTimeout', 0, 43_200);
    const giveUpAt = performance.now() + numberIn(input, 'WaitTimeSeconds', 0, 20) * 1_000;
    const visible = () => queue.filter(({ visibleAt }) => visibleAt <= performance.now()).slice(0, count);
    while (visible().length === 0 && performance.now() < giveUpAt && !request.destroyed) await pause(10);
    // Without messages the answer has no list.
    const Messages = visible().map((message) => {
      message.receives += 1;
      message.receipt = randomUUID();
      message.visibleAt = performance.now() + visibility * 1_000;
      this.events.push({ action: 'received', id: message.id });
      return {
        MessageId: message.id,
        ReceiptHandle: message.receipt,
        Body: message.body,
        MD5OfBody: md5(message.body),
        Attributes: { ApproximateReceiveCount: String(message.receives) },
      };
    });
    return Messages.length === 0 ? {} : { Messages };
  }

  #queue(url: string): Message[] {
    const queue = this.#queues.get(url);
    if (queue === undefined) throw new Refusal('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  }
}

function checkedInput({ method, headers }: IncomingMessage, action: string, text: string): Input {
  const members = MEMBERS[action];
  if (method !== 'POST' || members === undefined) throw new Refusal('InvalidAction', `${method} ${action}`);
  if (headers['content-type'] !== 'application/x-amz-json-1.0')
    throw new Refusal('UnsupportedOperation', String(headers['content-type']));
  if (
    !/^AWS4-HMAC-SHA256 Credential=AKIDFAKE\/\d{8}\/eu-west-1\/sqs\/aws4_request, /.test(
      headers.authorization ?? '',
    )
  )
    throw new Refusal('InvalidClientTokenId', 'The security token included in the request is invalid.');
  const input = JSON.parse(text) as Input;
  for (const member of members.filter((name) => name.endsWith('!')))
    if (input[member.slice(0, -1)] === undefined)
      throw new Refusal('MissingParameter', `The request must contain ${member.slice(0, -1)}.`);
  for (const name of Object.keys(input))
    if (!members.some((member) => member.replace('!', '') === name))
      throw new Refusal('InvalidParameterValue', `${action} has no member ${name}.`);
  return input;
}

function numberIn(input: Input, name: string, minimum: number, maximum: number): number {
  const value = input[name] ?? minimum;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > maximum)
    throw new Refusal('InvalidParameterValue', `${name} is ${String(value)}.`);
  return value;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
