import type { Command } from 'commander';
import type { ApiClient } from '../client/api-client';
import { addCommand } from '../terminal/add-command';
import type { CommandHost } from '../terminal/add-command';

interface ListDescription<Answer> {
  readonly summary: string;
  readonly example: string;
  readonly path: string;
  /** Reads the answer where the path has it in pages. */
  readonly read?: (api: ApiClient, path: string) => Promise<Answer>;
  readonly headings: readonly string[];
  rows(answer: Answer): readonly (readonly string[])[];
}

/** Adds `list`: prints what a path of the server answers as a table, or the answer itself with `--json`. */
export function addListCommand<Answer>(
  parent: Command,
  host: CommandHost,
  { summary, example, path, read, headings, rows }: ListDescription<Answer>,
): void {
  addCommand(parent, host, {
    name: 'list',
    summary,
    examples: [example],
    async run({ api, output }) {
      const answer = read === undefined ? await api().json<Answer>(path) : await read(api(), path);
      output.result(answer, () => output.table(rows(answer), headings));
    },
  });
}
