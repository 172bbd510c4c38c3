import type { ChannelModel } from 'amqplib';
import { Duplex } from 'node:stream';

/**
 * Sends the frames of one turn of the event loop with one system call. amqplib writes each message and each
 * acknowledgement separately, which dominates the cost: a round trip with 64 in flight took about 20 µs of CPU time,
 * and takes about 8 µs with this. If amqplib does not expose its socket, nothing changes.
 */
export function corkWrites({ connection }: ChannelModel): void {
  if (!('stream' in connection) || !(connection.stream instanceof Duplex)) return;
  const socket = connection.stream;
  const write = socket.write;
  let isCorked = false;
  const uncork = () => {
    isCorked = false;
    socket.uncork();
  };
  socket.write = (...given: unknown[]): boolean => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      process.nextTick(uncork);
    }
    return Reflect.apply(write, socket, given);
  };
}
