import { createRequire } from 'node:module';
import type { DestinationStream } from 'pino';
import { fieldsText } from './fields-text';

type LoadedPretty = (options: object) => DestinationStream;

/**
 * Writes human-readable log lines to standard output: time, level, event, and its fields on the same line. Undefined
 * when the optional package pino-pretty is not installed.
 */
export function prettyStream(): DestinationStream | undefined {
  try {
    // Loaded only here, so that a server that writes JSON lines does not load it.
    const load = createRequire(__filename)('pino-pretty') as LoadedPretty;
    return load({
      sync: true,
      colorize: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
      translateTime: 'SYS:HH:MM:ss.l',
      ignore: 'name,pid,hostname',
      hideObject: true,
      messageFormat: (line: Readonly<Record<string, unknown>>, messageKey: string) =>
        `${String(line[messageKey])}${fieldsText(line)}`,
    });
  } catch {
    return undefined;
  }
}
