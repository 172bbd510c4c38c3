import type { Command } from 'commander';
import { estimateCapacity } from '../capacity/estimate-capacity';
import type { Capacity, CapacityInput } from '../capacity/estimate-capacity';
import { measuredOn } from '../capacity/measured-costs';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { addCommand, option } from './add-command';
import type { CommandCall, CommandHost } from './add-command';

interface InputOption {
  readonly member: keyof CapacityInput;
  readonly flag: string;
  readonly description: string;
  /** Undefined: it must be given. */
  readonly value?: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** Options by the member of the input. `flag` is also the name of the value in the JSON output, with underscores. */
export const inputOptions: readonly InputOption[] = [
  { member: 'runsPerSecond', flag: 'runs-per-second', description: 'runs a second, on average over a day', minimum: 0.001, maximum: 1e6 },
  { member: 'peakFactor', flag: 'peak-factor', description: 'the busiest minutes, as a multiple of the average', value: 3, minimum: 1, maximum: 100 },
  { member: 'durableShare', flag: 'durable-share', description: 'share of runs whose caller does not wait, such as webhooks: 0 to 1', value: 0, minimum: 0, maximum: 1 },
  { member: 'secondsPerRun', flag: 'seconds-per-run', description: 'how long a run waits for models and other services', value: 3, minimum: 0, maximum: 86_400 },
  { member: 'vertices', flag: 'vertices', description: 'vertices of a flow', value: 6, minimum: 1, maximum: 10_000 },
  { member: 'kilobytes', flag: 'kilobytes', description: 'question and answer of a run', value: 4, minimum: 0, maximum: 100_000 },
  { member: 'retentionDays', flag: 'retention-days', description: 'MILLRACE_RUN_RETENTION_DAYS', value: 7, minimum: 4, maximum: 3_650 },
  { member: 'messageDays', flag: 'message-days', description: 'how long messages of sessions are kept before you delete them', value: 365, minimum: 1, maximum: 36_500 },
  { member: 'slots', flag: 'slots', description: 'MILLRACE_CONCURRENCY of executors', value: 64, minimum: 1, maximum: 10_000 },
]; // prettier-ignore

/** Adds `capacity`. */
export function addCapacityCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'capacity',
    summary: 'Estimate processes, cores, memory and disk for a rate of runs',
    details: `Multiplies costs that were measured on ${measuredOn.date} (${measuredOn.machine.split(',')[0]}). Not included: streamed tokens, Python,
uploaded files and vectors. docs/capacity.md has the arithmetic.`,
    options: inputOptions.map(({ flag, description, value }) =>
      value === undefined
        ? option(`--${flag} <n>`, description).makeOptionMandatory()
        : option(`--${flag} <n>`, description).default(String(value)),
    ),
    usesServer: false,
    examples: [
      'millrace capacity --runs-per-second 20',
      'millrace capacity --runs-per-second 200 --durable-share 0.8 --seconds-per-run 10 --json',
    ],
    run: runCapacity,
  });
}

function runCapacity(call: CommandCall): number {
  const input = Object.fromEntries(
    inputOptions.map((one) => [one.member, numberOf(call, one)]),
  ) as unknown as CapacityInput;
  const capacity = estimateCapacity(input);
  const names = inputOptions.map(({ member, flag }) => [flag.replaceAll('-', '_'), input[member]]);
  call.output.result({ input: Object.fromEntries(names), ...capacityJson(capacity) }, () =>
    print(call, capacity),
  );
  return exitCodes.success;
}

/** The option as commander names it: in camel case. */
function numberOf({ text }: CommandCall, { flag, minimum, maximum }: InputOption): number {
  const given = text(flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())) ?? '';
  const value = Number(given);
  if (given.trim() === '' || !(value >= minimum && value <= maximum))
    throw new CliError('usage', `--${flag} must be a number from ${minimum} to ${maximum}`);
  return value;
}

function capacityJson({ gateway, ingest, executor, postgresql, rabbitmq, redis, ...load }: Capacity) {
  const service = ({ processes, cores, memoryMebibytes }: Capacity['gateway']) => ({
    processes,
    cores,
    memory_mib_per_process: memoryMebibytes,
  });
  return {
    measured_on: measuredOn,
    peak_runs_per_second: load.peakRunsPerSecond,
    runs_in_progress: load.runsInProgress,
    gateways: service(gateway),
    ingest: service(ingest),
    executors: service(executor),
    postgresql: {
      cores: postgresql.cores,
      connections: postgresql.connections,
      disk_gb: postgresql.diskGigabytes,
      growth_gb_per_day: postgresql.growthGigabytesPerDay,
      log_mb_per_second: postgresql.logMegabytesPerSecond,
    },
    rabbitmq: {
      cores: rabbitmq.cores,
      connections: rabbitmq.connections,
      memory_mib: rabbitmq.memoryMebibytes,
    },
    redis: { cores: redis.cores, memory_mib: redis.memoryMebibytes },
  };
}

function print({ output }: CommandCall, capacity: Capacity): void {
  const { gateway, ingest, executor, postgresql, rabbitmq, redis } = capacity;
  output.line(
    `At the peak: ${capacity.peakRunsPerSecond} runs a second, ${capacity.runsInProgress} in progress`,
  );
  output.line('');
  const service = (name: string, { processes, cores, memoryMebibytes }: Capacity['gateway']) => [
    ...[name, String(processes), String(cores), `${memoryMebibytes} MiB each`, ''],
  ];
  output.table(
    [
      service('gateways', gateway),
      service('ingest', ingest),
      service('executors', executor),
      [
        ...['PostgreSQL', '1', String(postgresql.cores), ''],
        `${postgresql.diskGigabytes} GB of disk, ${postgresql.growthGigabytesPerDay} GB a day, ${postgresql.logMegabytesPerSecond} MB of log a second, ${postgresql.connections} connections`,
      ],
      [
        ...['RabbitMQ', '3', String(rabbitmq.cores), `${rabbitmq.memoryMebibytes} MiB each`],
        `${rabbitmq.connections} connections`,
      ],
      ['Redis', '1', String(redis.cores), `${redis.memoryMebibytes} MiB`, ''],
    ],
    ['', 'processes', 'cores at the peak', 'memory', ''],
  );
}
