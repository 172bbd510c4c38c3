import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRINTED_URL, runPrinted } from './printed-commands';
import type { RunningSystem } from './printed-commands';

const PAGE = join(__dirname, '..', '..', 'docs', 'use', 'clients.md');

/** Returns the answer of the example flow `chat`, whose model repeats its prompt. */
export function chatAnswer(text: string): string {
  return `You are a helpful assistant who answers in one paragraph.\n\nQuestion: ${text}`;
}

/** A code block of docs/use/clients.md. */
export interface PageExample {
  /** The nearest heading above it, without the marks of code. */
  readonly title: string;
  /** The name after the fence, such as `sh`. */
  readonly language: string;
  readonly code: string;
}

/** Returns the code blocks of docs/use/clients.md that call a server, in their order. */
export function pageExamples(): readonly PageExample[] {
  const page = readFileSync(PAGE, 'utf8');
  let title = '';
  const examples: PageExample[] = [];
  for (const [, heading, language = '', code = ''] of page.matchAll(
    /^#+ ([^\n]+)$|^```(\w+)\n(.*?)^```$/gms,
  )) {
    if (heading !== undefined) title = heading.replaceAll('`', '');
    else if (code.includes(PRINTED_URL)) examples.push({ title, language, code });
  }
  return examples;
}

/**
 * Runs an example as a program of its language, with the address of a running system in place of the printed one. Resolves to
 * what it prints; rejects when its exit code is not 0.
 */
export function runExample({ language, code }: PageExample, system: RunningSystem): Promise<string> {
  return runPrinted(interpreterOf(language), code, system);
}

function interpreterOf(language: string): readonly [string, ...string[]] {
  if (language === 'js') return [process.execPath, '--input-type=module', '-e'];
  if (language === 'python') return [process.env['TEST_PYTHON'] ?? '', '-c'];
  return ['sh', '-e', '-c'];
}
