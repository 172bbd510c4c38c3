import type { Command } from 'commander';
import { addCommand } from '../terminal/add-command';
import type { CommandHost } from '../terminal/add-command';

/** Adds `completion`, which prints a script that completes commands and options. */
export function addCompletionCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'completion',
    summary: 'Print a script for a shell that completes commands and options',
    arguments: [{ name: '<shell>', description: 'the shell', choices: ['bash', 'zsh', 'fish'] }],
    usesServer: false,
    examples: [
      'source <(millrace completion bash)',
      'source <(millrace completion zsh)',
      'millrace completion fish | source',
    ],
    run({ output, arguments: [shell = ''] }) {
      const words = wordsOf(program);
      const header = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
      const script = shell === 'fish' ? fishScriptOf(words) : `${header}${scriptOf(words)}`;
      output.result({ shell, script }, () => output.line(script));
      return undefined;
    },
  });
}

/** Returns the words that can follow each command, by its path: `flows import`. */
function wordsOf(command: Command, path = ''): ReadonlyMap<string, readonly string[]> {
  const own = [
    ...command.commands.map((child) => child.name()),
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
  const below = command.commands.flatMap((child) => [...wordsOf(child, `${path} ${child.name()}`.trim())]);
  return new Map([[path, own], ...below]);
}

function fishScriptOf(words: ReadonlyMap<string, readonly string[]>): string {
  const cases = [...words].map(
    ([path, next]) => `    case "${path}"; string split " " -- "${next.join(' ')}"`,
  );
  return [
    'function __millrace_words',
    '  set -l path',
    '  for word in (commandline -opc)',
    '    string match -q -- "-*" $word; or set -a path $word',
    '  end',
    '  set -e path[1]',
    '  switch "$path"',
    ...cases,
    '  end',
    'end',
    'complete -c millrace -a "(__millrace_words)"',
  ].join('\n');
}

function scriptOf(words: ReadonlyMap<string, readonly string[]>): string {
  const cases = [...words].map(([path, next]) => `    "${path}") words="${next.join(' ')}" ;;`);
  return [
    '_millrace() {',
    '  local path="" words="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) path="${path:+$path }$word" ;; esac',
    '  done',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _millrace millrace',
  ].join('\n');
}
