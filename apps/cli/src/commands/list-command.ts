import type { Command } from 'commander';
import type { MillraceClient } from '../client/millrace-client';
import { addCommand } from '../terminal/add-command';
import type { CommandHost } from '../terminal/add-command';

interface ListDescription<Answer> {
  readonly summary: string;
  readonly example: string;
  readonly read: (api: MillraceClient) => Promise<Answer>;
  readonly headings: readonly string[];
  rows(answer: Answer): readonly (readonly string[])[];
}

/** Adds `list`: prints what the server answers as a table, or the answer itself with `--json`. */
export function addListCommand<Answer>(
  parent: Command,
  host: CommandHost,
  { summary, example, read, headings, rows }: ListDescription<Answer>,
): void {
  addCommand(parent, host, {
    name: 'list',
    summary,
    examples: [example],
    async run({ api, output }) {
      const answer = await read(api());
      output.result(answer, () => output.table(rows(answer), headings));
    },
  });
}
