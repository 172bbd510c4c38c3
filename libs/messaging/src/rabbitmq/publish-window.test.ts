import { BusUnavailableError } from '../message-bus-errors';
import { ConfirmSilence, InFlightPublishes, PublishQueue, type QueuedPublish } from './publish-window';

const message = (bytes: number) => ({
  exchange: '',
  routingKey: 'queue',
  body: Buffer.alloc(bytes),
  persistent: false,
  mandatory: true,
});

describe('the queue of messages that wait for the confirm window', () => {
  const limits = { count: 3, bytes: 100, timeoutMilliseconds: 50 };

  function opened() {
    const queue = new PublishQueue(limits);
    const refused: Error[] = [];
    const add = (bytes: number, since = 0): void => {
      const reject = (error: Error): void => void refused.push(error);
      const publish: QueuedPublish = {
        message: message(bytes),
        isLastTry: false,
        since,
        resolve: () => undefined,
        reject,
      };
      queue.add(publish);
    };
    return { queue, refused, add };
  }

  test('takes messages up to its bytes, and more once one has left', () => {
    const { queue, refused, add } = opened();
    add(60);
    add(40);
    add(1);
    expect([queue.count, refused.length]).toEqual([2, 1]);
    expect(refused[0]).toBeInstanceOf(BusUnavailableError);
    expect(queue.takeFirst()?.message.body.length).toBe(60);
    add(60);
    add(1);
    expect([queue.count, refused.length]).toEqual([2, 2]);
  });

  test('takes messages up to its count', () => {
    const { queue, refused, add } = opened();
    for (let index = 0; index < 4; index += 1) add(1);
    expect([queue.count, refused.length]).toEqual([3, 1]);
  });

  test('refuses those that have waited too long, oldest first', () => {
    const { queue, refused, add } = opened();
    add(60, 0);
    add(40, 10);
    queue.rejectOverdue(50);
    expect([queue.count, queue.first()?.since]).toEqual([1, 10]);
    expect(refused).toMatchObject([{ message: expect.stringContaining('50 ms') }]);
    add(60, 20);
    queue.rejectAll('away');
    expect([queue.count, refused.length]).toEqual([0, 3]);
  });
});

describe('the confirm window', () => {
  const limits = { count: 2, bytes: 100, timeoutMilliseconds: 50 };

  function opened() {
    const window = new InFlightPublishes(limits);
    const refused: unknown[] = [];
    const send = (sequence: number, bytes: number, sentAt = 0) => {
      const publish = {
        sequence,
        message: message(bytes),
        bytes,
        sentAt,
        resolve: () => undefined,
        reject: (error: unknown) => void refused.push(error),
        isLastTry: false,
        isReturned: false,
      };
      window.add(publish);
      return publish;
    };
    return { window, refused, send };
  }

  test('has room for any one message, and for others within its count and bytes', () => {
    const { window, send } = opened();
    expect(window.hasRoomFor(1_000)).toBe(true);
    const first = send(1, 60);
    expect([window.hasRoomFor(40), window.hasRoomFor(41)]).toEqual([true, false]);
    send(2, 1);
    expect(window.hasRoomFor(1)).toBe(false);
    expect(window.remove(first)).toBe(true);
    expect([window.hasRoomFor(99), window.hasRoomFor(100)]).toEqual([true, false]);
  });

  test('gives up messages without a confirm in time, and counts them until their late confirms', () => {
    const { window, refused, send } = opened();
    const [overdue] = [send(1, 60, 0), send(2, 40, 1)];
    const late: boolean[] = [];
    window.giveUpOverdue(50, (_message, isTimedOut) => void late.push(isTimedOut));
    expect(late).toEqual([true]);
    expect(refused).toMatchObject([{ code: 'unconfirmed' }]);
    expect([window.count, window.overdue, window.hasRoomFor(60)]).toEqual([1, 1, true]);
    expect(window.remove(overdue)).toBe(false);
    expect(window.overdue).toBe(0);
  });
});

describe('the silence of a broker that confirms nothing', () => {
  const silence = (...sentAt: readonly number[]) => {
    const opened = new ConfirmSilence({
      stuckTimeouts: 3,
      confirmWindow: 10,
      confirmTimeoutMilliseconds: 100,
    });
    for (const now of sentAt) opened.sent(now);
    return opened;
  };

  test.each([
    { now: 1_300, overdue: 1, isBlocked: false, isStuck: false },
    { now: 1_301, overdue: 1, isBlocked: false, isStuck: true },
    { now: 1_301, overdue: 0, isBlocked: false, isStuck: false },
    { now: 1_301, overdue: 1, isBlocked: true, isStuck: false },
    { now: 1_000, overdue: 40, isBlocked: true, isStuck: false },
    { now: 1_000, overdue: 41, isBlocked: true, isStuck: true },
  ])('is stuck by its length and the number of its messages: %j', ({ now, overdue, isBlocked, isStuck }) => {
    expect(silence(1_000, 1_200).isStuck(now, overdue, isBlocked)).toBe(isStuck);
  });

  test('ends with an answer, and begins with the next message', () => {
    const opened = silence(1_000);
    opened.answered();
    expect(opened.isStuck(5_000, 1, false)).toBe(false);
    opened.sent(5_000);
    expect([opened.isStuck(5_300, 1, false), opened.isStuck(5_301, 1, false)]).toEqual([false, true]);
  });
});
