import type { Command } from 'commander';

/**
 * Returns a command line in which `help` as a word is the option: `help runs list` is `runs list --help`. An unknown command
 * keeps no such option, because its error helps more than the help of what it follows.
 */
export function withHelpOption(program: Command, words: readonly string[]): readonly string[] {
  const [first = '', second] = words;
  const isGroup = (commandNamed(program, first)?.commands.length ?? 0) > 0;
  const at = first === 'help' ? 0 : isGroup && second === 'help' ? 1 : -1;
  const line = at < 0 ? words : [...words.slice(0, at), ...words.slice(at + 1), '--help'];
  return isKnown(program, line) ? line : line.filter((word) => word !== '--help');
}

function isKnown(program: Command, words: readonly string[]): boolean {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return true;
    const found = commandNamed(command, word);
    if (found === undefined) return false;
    command = found;
  }
  return true;
}

const commandNamed = (parent: Command, name: string) => parent.commands.find((one) => one.name() === name);
