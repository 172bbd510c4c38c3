import type { KeyValueCommand } from '../key-value-store';

/** A command: its name as the client library spells it, then its arguments. */
export type RedisCommand = readonly [name: string, ...parameters: (string | number)[]];

/** What goes out for one command of the port, and what its replies mean. */
export interface TranslatedCommand {
  readonly commands: readonly RedisCommand[];
  read(replies: readonly unknown[]): unknown;
  /** What the replies turn out to make necessary; it goes out next, and the call ends with it. */
  next?(replies: readonly unknown[]): readonly RedisCommand[];
}

/** `isAlone` says that no other command of the same batch can see what this one leaves for later. */
export function translateCommand(
  command: KeyValueCommand,
  prefix: string,
  isAlone: boolean,
): TranslatedCommand {
  switch (command.command) {
    case 'get':
      return { commands: [['get', prefix + command.key]], read: first };
    case 'set':
      return { commands: [setCommand(command, prefix)], read: ([reply]) => reply === 'OK' };
    case 'delete':
      return {
        commands: command.keys.length === 0 ? [] : [['unlink', ...command.keys.map((key) => prefix + key)]],
        read: nothing,
      };
    case 'append':
      return appendCommands(command, prefix, isAlone);
    case 'range':
      return { commands: [['lrange', prefix + command.key, command.start, command.stop]], read: first };
  }
}

function setCommand(
  { key, value, options }: Extract<KeyValueCommand, { command: 'set' }>,
  prefix: string,
): RedisCommand {
  const expiry =
    options?.ttlMilliseconds === undefined ? [] : ['PX', wholeMilliseconds(options.ttlMilliseconds)];
  return ['set', prefix + key, value, ...expiry, ...(options?.onlyIfAbsent ? ['NX'] : [])];
}

/** On its own it cuts only a list that has grown too long, which few ever do. */
function appendCommands(
  { key, values, options }: Extract<KeyValueCommand, { command: 'append' }>,
  prefix: string,
  isAlone: boolean,
): TranslatedCommand {
  const push: RedisCommand[] = values.length === 0 ? [] : [['rpush', prefix + key, ...values]];
  const expire: RedisCommand = ['pexpire', prefix + key, wholeMilliseconds(options.ttlMilliseconds)];
  const trim: RedisCommand = ['ltrim', prefix + key, -options.maximumLength, -1];
  if (!isAlone || push.length === 0) return { commands: [...push, trim, expire], read: nothing };
  return {
    commands: [...push, expire],
    read: nothing,
    next: ([length]) => (Number(length) > options.maximumLength ? [trim] : []),
  };
}

function wholeMilliseconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds));
}

function first(replies: readonly unknown[]): unknown {
  return replies[0];
}

function nothing(): void {
  // Done is all there is to say.
}
