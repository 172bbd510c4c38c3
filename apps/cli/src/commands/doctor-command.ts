import type { Command } from 'commander';
import { machineTime } from '@millrace/service';
import type { MillraceClient } from '../client/millrace-client';
import { clientFor } from '../profiles/client-for';
import { CliError } from '../cli-error';
import { examine } from '../doctor/examine';
import { exitCodes } from '../exit-codes';
import { chooseServer } from '../profiles/choose-server';
import type { ServerOptions } from '../profiles/choose-server';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'doctor',
    summary: 'Examine this installation: settings, servers, queues, data; names each fault with its remedy',
    details:
      'Reads the settings of this environment as a service does, connects to each server, and changes nothing.\n' +
      'The server of the profile is examined when one is chosen. Exits with 1 when an error is found.',
    options: [option('--no-server', 'do not examine the server of the profile')],
    examples: ['millrace doctor', 'millrace doctor --json | jq ".checks[].findings[]"'],
    run: runDoctor,
  });
}

async function runDoctor({ shell, options, output, now }: CommandCall): Promise<number> {
  const progress = output.progress(now);
  const checks = await examine({
    environment: shell.environment,
    api: options['server'] === false ? undefined : chosenServer(shell.environment, options, shell.signal),
    nodeVersion: process.versions.node,
    machineClock: machineTime,
    onBegin: (name) => progress.show(`Examining: ${name}`),
  });
  progress.end();
  const findings = checks.flatMap((check) => check.findings);
  const errors = findings.filter(({ level }) => level === 'error').length;
  output.result({ errors, warnings: findings.length - errors, checks }, () => {
    for (const { name, facts, findings: found } of checks) {
      const about = facts.length === 0 ? '' : `: ${facts.join(', ')}`;
      output.line(`${found.length === 0 ? 'ok     ' : '       '} ${name}${about}`);
      for (const { level, code, message, remedy } of found) {
        output.line(`${level.padEnd(7)} ${code}: ${message}`);
        output.line(`        Remedy: ${remedy}`);
      }
    }
    output.line(`${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}`);
  });
  return errors === 0 ? exitCodes.success : exitCodes.negative;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Undefined without a profile: an installation can be examined before its first start. */
function chosenServer(
  environment: Readonly<Record<string, string | undefined>>,
  options: object,
  signal: AbortSignal,
): MillraceClient | undefined {
  const { profile, url } = options as ServerOptions;
  try {
    return clientFor(chooseServer(environment, options as ServerOptions), signal);
  } catch (error) {
    if (error instanceof CliError && profile === undefined && url === undefined) return undefined;
    throw error;
  }
}
