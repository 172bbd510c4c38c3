import { trimThreshold } from '../append-options';
import { backgroundKey, settledKey } from '../background-key';
import type {
  Admission,
  Admitted,
  KeyValueCommand,
  PlaceCount,
  SettledPlace,
  SharedPlaces,
} from '../key-value-store';
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
    case 'admit':
      return admitCommand(command.admission, prefix);
    case 'keep':
      return keepCommand(command, prefix);
    case 'release':
      return { commands: [['zrem', prefix + command.key, ...command.ids]], read: nothing };
    case 'share':
      return shareCommand(command.places, prefix);
    case 'settle':
      return settleCommand(command.place, prefix);
    case 'settled':
      return {
        commands: [['get', prefix + settledKey(command.key)]],
        read: ([reply]) => Number(reply ?? 0),
      };
    case 'note':
      return noteCommand(command.count, prefix);
    case 'length':
      return { commands: [['llen', prefix + command.key]], read: first };
    case 'range':
      return { commands: [['lrange', prefix + command.key, command.start, command.stop]], read: first };
  }
}

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
`;

/**
 * The key of a rate has the time in µs by the server's clock at which it allows its whole burst again. The key of places has the ids of
 * runs by the time at which they expire, and the one after it what background runs have.
 */
const ADMIT = `${NOW}local whole, answer, longest, rates, amounts = {}, {0, 0}, 0, tonumber(ARGV[1]), tonumber(ARGV[4])
local function rate(i) return tonumber(ARGV[2 * i + 3]), tonumber(ARGV[2 * i + 4]) end
local function amount(i, member) return tonumber(ARGV[4 + 2 * rates + 3 * (i - 1) + member]) end
local before = rates + amounts
for i = 1, rates do
  local key = KEYS[i]
  local _, slack = rate(i)
  whole[i] = math.max(now, tonumber(redis.call('GET', key) or 0))
  local wait = whole[i] - now - slack
  if wait > longest then longest, answer = wait, {i, math.ceil(wait / 1000)} end
end
if longest > 0 then return answer end
for i = 1, amounts do
  local used = tonumber(redis.call('GET', KEYS[rates + i]) or 0)
  if used + amount(i, 1) > amount(i, 2) then return {rates + i, 0} end
end
for i = before + 1, #KEYS, 2 do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', string.format('%.0f', now))
  local place = (i - before + 1) / 2
  local taken = redis.call('ZCARD', KEYS[i]) + tonumber(redis.call('GET', KEYS[i + 1]) or 0)
  if taken >= tonumber(ARGV[2 * rates + 3 * amounts + 4 + place]) then return {before + place, 0} end
end
for i = before + 1, #KEYS, 2 do
  redis.call('ZADD', KEYS[i], string.format('%.0f', now + ARGV[3] * 1000), ARGV[2])
  redis.call('PEXPIRE', KEYS[i], ARGV[3])
end
for i = 1, rates do
  local interval, slack = rate(i)
  local key = KEYS[i]
  local reset = whole[i] + interval - now
  redis.call('SET', key, string.format('%.0f', now + reset), 'PX', math.ceil(reset / 1000) + 1)
  table.insert(answer, math.floor((slack + interval - reset) / interval + 0.000001))
  table.insert(answer, math.ceil(reset / 1000))
end
for i = 1, amounts do
  local used = redis.call('INCRBY', KEYS[rates + i], amount(i, 1))
  redis.call('PEXPIRE', KEYS[rates + i], amount(i, 3))
  table.insert(answer, amount(i, 2) - used)
end
return answer`;

function admitCommand({ rates, amounts = [], places }: Admission, prefix: string): TranslatedCommand {
  const { id = '', ttlMilliseconds = 0, of = [] } = places ?? {};
  const keys = [
    ...[...rates, ...amounts].map(({ key }) => prefix + key),
    ...of.flatMap(({ key }) => [prefix + key, prefix + backgroundKey(key)]),
  ];
  const limits = rates.flatMap(({ perSecond, burst }) => {
    const interval = 1_000_000 / perSecond;
    return [interval, interval * (burst - 1)];
  });
  const used = amounts.flatMap(({ amount, maximum, ttlMilliseconds: ttl }) => [amount, maximum, ttl]);
  const maxima = of.map(({ maximum }) => maximum);
  const values = [rates.length, id, ttlMilliseconds, amounts.length, ...limits, ...used, ...maxima];
  const read = ([reply]: readonly unknown[]) => readAdmitted(reply as readonly number[], rates.length);
  return { commands: [['eval', ADMIT, keys.length, ...keys, ...values]], read };
}

const KEEP = `${NOW}for i = 2, #ARGV do
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[1] * 1000), ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

function keepCommand(
  { key, ids, ttlMilliseconds }: Extract<KeyValueCommand, { command: 'keep' }>,
  prefix: string,
): TranslatedCommand {
  return { commands: [['eval', KEEP, 1, prefix + key, ttlMilliseconds, ...ids]], read: nothing };
}

const SHARE = `${NOW}redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local maximum, used, wanted, kept = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local callers = redis.call('ZCARD', KEYS[1])
local granted = math.max(0, math.min(wanted, maximum - callers - used, math.max(1, maximum - 1) - used))
redis.call('SET', KEYS[2], math.max(used + granted, kept), 'PX', ARGV[5])
return granted`;

function shareCommand(
  { key, maximum, used, wanted, isWaiting, ttlMilliseconds }: SharedPlaces,
  prefix: string,
): TranslatedCommand {
  const values = [maximum, used, wanted, isWaiting ? 1 : 0, ttlMilliseconds];
  return {
    commands: [['eval', SHARE, 2, prefix + key, prefix + backgroundKey(key), ...values]],
    read: first,
  };
}

const SETTLE = `redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('INCR', KEYS[3])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('INCR', KEYS[2])
return 1`;

function settleCommand({ key, id, ttlMilliseconds }: SettledPlace, prefix: string): TranslatedCommand {
  const keys = [key, backgroundKey(key), settledKey(key)].map((each) => prefix + each);
  return { commands: [['eval', SETTLE, 3, ...keys, id, ttlMilliseconds]], read: ([reply]) => reply === 1 };
}

// A server that lost its data has fewer settled places than before.
const NOTE = `local since = math.max(0, tonumber(redis.call('GET', KEYS[2]) or 0) - tonumber(ARGV[2]))
redis.call('SET', KEYS[1], string.format('%.0f', tonumber(ARGV[1]) + since), 'PX', ARGV[3])`;

function noteCommand(
  { key, count, settled, ttlMilliseconds }: PlaceCount,
  prefix: string,
): TranslatedCommand {
  const keys = [backgroundKey(key), settledKey(key)].map((each) => prefix + each);
  return { commands: [['eval', NOTE, 2, ...keys, count, settled, ttlMilliseconds]], read: nothing };
}

function readAdmitted(
  [refused = 0, waitMilliseconds = 0, ...left]: readonly number[],
  length: number,
): Admitted {
  if (refused > 0) return { refused: refused - 1, waitMilliseconds, rates: [], amounts: [] };
  const rates = Array.from({ length }, (_, index) => ({
    remaining: left[2 * index] ?? 0,
    resetMilliseconds: left[2 * index + 1] ?? 0,
  }));
  return { refused: null, waitMilliseconds: 0, rates, amounts: left.slice(2 * length) };
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
