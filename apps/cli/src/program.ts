import { Command } from 'commander';
import { version } from '@millrace/service';
import { addAccountCommands } from './commands/account-commands';
import type { CommandHost } from './terminal/add-command';
import { addApplyCommand } from './commands/apply-command';
import { addAuditCommands } from './commands/audit-command';
import { addBackupCommands } from './commands/backup-commands';
import { addCodeCommands } from './commands/code-commands';
import { addCompareCommand } from './commands/compare-command';
import { addCompletionCommand } from './commands/completion-command';
import { addConfigCommands } from './commands/config-commands';
import { addDoctorCommand } from './commands/doctor-command';
import { addEraseCommand } from './commands/erase-command';
import { addFlowCommands } from './commands/flow-commands';
import { addMemberCommands } from './commands/member-commands';
import { addMigrateCommand } from './commands/migrate-command';
import { addProfileCommands } from './commands/profile-commands';
import { addRewriteCommand } from './commands/rewrite-command';
import { addPendingCommands } from './commands/pending-commands';
import { addRunCommands } from './commands/run-commands';
import { addSecretsCommands } from './commands/secrets-commands';

const UP = 'Start everything in one process; `millrace up --help` has its options';

/** Returns the command `millrace` with all of its commands. */
export function millraceProgram(host: CommandHost): Command {
  const { stdout, stderr } = host.shell;
  const program = new Command('millrace')
    .description(
      'Runs flows exported from Langflow. Commands talk to a server, unless their help says otherwise.',
    )
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(sentenceOf(text)),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    })
    .exitOverride();
  // A separate program: it starts before packages are installed.
  program.command('up').description(UP);
  addProfileCommands(program, host);
  addFlowCommands(program, host);
  addRunCommands(program, host);
  addPendingCommands(program, host);
  addAccountCommands(program, host);
  addMemberCommands(program, host);
  addConfigCommands(program, host);
  addApplyCommand(program, host);
  addMigrateCommand(program, host);
  addCompareCommand(program, host);
  addBackupCommands(program, host);
  addSecretsCommands(program, host);
  addRewriteCommand(program, host);
  addEraseCommand(program, host);
  addDoctorCommand(program, host);
  addAuditCommands(program, host);
  addCodeCommands(program, host);
  addCompletionCommand(program, host);
  return program;
}

/** Returns an error of the command line in the words of the other programs. */
function sentenceOf(text: string): string {
  return text
    .replace(/^error: /, '')
    .replace(
      /^unknown option '([^']+)'(?:\n\(Did you mean ([^?]+)\?\))?/,
      (_, given: string, meant?: string) =>
        meant === undefined
          ? `${given} is not an option`
          : `${given} is not an option; did you mean ${meant}?`,
    );
}
