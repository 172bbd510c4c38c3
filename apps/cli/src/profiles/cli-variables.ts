import type { Environment } from '@millrace/service';

/** Variables of the command `millrace`; services do not know them. */
export const cliVariables = ['MILLRACE_URL', 'MILLRACE_API_KEY', 'MILLRACE_PROFILE'] as const;

/** Returns the environment as a service would read it. */
export function withoutCliVariables(environment: Environment): Environment {
  const names: readonly string[] = cliVariables;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}
