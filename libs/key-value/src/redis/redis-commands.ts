import { longestUncut } from '../append-options';
import type { KeyValueCommand } from '../key-value-store';
import type { RenewedExpiries } from './renewed-expiries';

/** A command: its name as the client library spells it, then its arguments. */
export type RedisCommand = readonly [name: string, ...parameters: (string | number)[]];

/** What goes out for one command of the port, and what its replies mean. */
export interface TranslatedCommand {
  readonly commands: readonly RedisCommand[];
  read(replies: readonly unknown[]): unknown;
  /** What the replies turn out to make necessary; it goes out next, and the call ends with it. */
  next?(replies: readonly unknown[]): readonly RedisCommand[];
}

/** `alone`: no other command of the same batch can see what this one leaves for later. */
export function translateCommand(
  command: KeyValueCommand,
  prefix: string,
  alone: RenewedExpiries | null,
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
      return appendCommands(command, prefix, alone);
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

/** On its own it cuts only a list that has grown too long, and renews only an expiry that is not a new one anyway. */
function appendCommands(
  { key, values, options }: Extract<KeyValueCommand, { command: 'append' }>,
  prefix: string,
  alone: RenewedExpiries | null,
): TranslatedCommand {
  const push: RedisCommand[] = values.length === 0 ? [] : [['rpush', prefix + key, ...values]];
  const expire: RedisCommand = ['pexpire', prefix + key, wholeMilliseconds(options.ttlMilliseconds)];
  const trim: RedisCommand = ['ltrim', prefix + key, -options.maximumLength, -1];
  if (alone === null || push.length === 0) return { commands: [...push, trim, expire], read: nothing };
  const trimIfLong = (length: unknown) => (Number(length) > longestUncut(options) ? [trim] : []);
  if (!alone.isRecent(key, options)) {
    return {
      commands: [...push, expire],
      read: () => alone.note(key),
      next: ([length]) => trimIfLong(length),
    };
  }
  return {
    commands: push,
    read: nothing,
    // A list of nothing but these entries is a new one, which has no expiry yet.
    next: ([length]) => (Number(length) === values.length ? [expire] : trimIfLong(length)),
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
