import { trimThreshold } from '../append-options';
import type { KeyValueCommand } from '../key-value-store';
import type { RenewedExpiries } from './renewed-expiries';

/** A command: its name in the client library, then its arguments. */
export type RedisCommand = readonly [name: string, ...parameters: (string | number | Buffer)[]];

/** The Redis commands for one command of the port, and the interpretation of their replies. */
export interface TranslatedCommand {
  readonly commands: readonly RedisCommand[];
  read(replies: readonly unknown[]): unknown;
  /** Returns follow-up commands that the replies require; the call ends after them. */
  next?(replies: readonly unknown[]): readonly RedisCommand[];
}

/** `alone` is set when no other command of the same batch can observe deferred work. */
export function translateCommand(
  command: KeyValueCommand,
  prefix: string,
  deferredExpiries: RenewedExpiries | null,
): TranslatedCommand {
  switch (command.command) {
    case 'get':
      return { commands: [['get', prefix + command.key]], read: first };
    case 'set':
      return { commands: [setCommand(command, prefix)], read: ([reply]) => reply === 'OK' };
    case 'delete':
      return {
        // One for each key: the keys of a cluster are on different nodes.
        commands: command.keys.map((key) => ['unlink', prefix + key] as const),
        read: nothing,
      };
    case 'append':
      return appendCommands(command, prefix, deferredExpiries);
    case 'take':
      return takeCommand(command, prefix);
    case 'length':
      return { commands: [['llen', prefix + command.key]], read: first };
    case 'range':
      return { commands: [['lrange', prefix + command.key, command.start, command.stop]], read: first };
  }
}

/** The key has the time in µs by the server's clock at which the allowance is whole again. */
const TAKE = `local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local whole = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local wait = whole - now - ARGV[2]
if wait > 0 then return math.ceil(wait / 1000) end
whole = whole + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.0f', whole), 'PX', math.ceil((whole - now) / 1000) + 1)
return 0`;

function takeCommand(
  { key, allowance: { perSecond, burst } }: Extract<KeyValueCommand, { command: 'take' }>,
  prefix: string,
): TranslatedCommand {
  const interval = 1_000_000 / perSecond;
  return { commands: [['eval', TAKE, 1, prefix + key, interval, interval * (burst - 1)]], read: first };
}

function setCommand(
  { key, value, options }: Extract<KeyValueCommand, { command: 'set' }>,
  prefix: string,
): RedisCommand {
  const expiry =
    options?.ttlMilliseconds === undefined ? [] : ['PX', wholeMilliseconds(options.ttlMilliseconds)];
  return ['set', prefix + key, value, ...expiry, ...(options?.onlyIfAbsent ? ['NX'] : [])];
}

/** A single append trims only a list that is too long, and renews only an expiry that was not renewed recently. */
function appendCommands(
  { key, values, options }: Extract<KeyValueCommand, { command: 'append' }>,
  prefix: string,
  deferredExpiries: RenewedExpiries | null,
): TranslatedCommand {
  const push: RedisCommand[] = values.length === 0 ? [] : [['rpush', prefix + key, ...values]];
  const expire: RedisCommand = ['pexpire', prefix + key, wholeMilliseconds(options.ttlMilliseconds)];
  const trim: RedisCommand = ['ltrim', prefix + key, -options.maximumLength, -1];
  if (deferredExpiries === null || push.length === 0)
    return { commands: [...push, trim, expire], read: nothing };
  const trimIfLong = (length: unknown) => (Number(length) > trimThreshold(options) ? [trim] : []);
  if (!deferredExpiries.isRecent(key, options)) {
    return {
      commands: [...push, expire],
      read: () => deferredExpiries.record(key),
      next: ([length]) => trimIfLong(length),
    };
  }
  return {
    commands: push,
    read: nothing,
    // A list that contains only these entries is new and has no expiry yet.
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
  // The command has no result.
}
