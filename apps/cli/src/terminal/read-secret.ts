import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Shell } from './shell';

const MAXIMUM_CHARACTERS = 10_000;

/** Reads one line from standard input; at a terminal, asks for it and does not show what is typed. */
export async function readSecret({ stdin, stderr }: Shell, question: string): Promise<string> {
  const isTerminal = stdin.isTTY === true;
  if (isTerminal) stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: isTerminal });
  try {
    for await (const line of lines) return line.trim().slice(0, MAXIMUM_CHARACTERS);
    return '';
  } finally {
    lines.close();
    if (isTerminal) stderr.write('\n');
  }
}
