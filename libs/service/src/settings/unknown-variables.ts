import { nearestName } from '../text/nearest-name.cjs';
import { removedSettingNames } from './removed-settings';
import type { SettingsDefinition } from './setting';
import { formerSettingNames, settingNames } from './setting-names.generated';
import type { Environment } from './setting-text';

/** Variables that are no settings: of tracing, and of the command `millrace`, which can be set where a service starts. */
const otherVariables = ['MILLRACE_TRACE_FILE', 'MILLRACE_API_KEY', 'MILLRACE_URL', 'MILLRACE_PROFILE'];

/** Kubernetes sets such variables for each service of a namespace: of `millrace`, `MILLRACE_PORT=tcp://10.0.0.1:80`. */
const serviceLinkName = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const serviceLinkValue = /^(tcp|udp|sctp):\/\//;

/** Sentences about `MILLRACE_…` variables that no service has. */
export interface UnknownVariables {
  /** Similar to a setting of the definition. */
  readonly mistyped: readonly string[];
  readonly others: readonly string[];
}

/** Finds variables that are no setting of any service; those of other services are known, because services share environments. */
export function unknownVariables(definition: SettingsDefinition, environment: Environment): UnknownVariables {
  const own = Object.keys(definition).filter((name) => name.startsWith('MILLRACE_'));
  const former = Object.values(definition).flatMap(({ formerly }) => formerly);
  const names = [...own, ...settingNames];
  const known = new Set(
    [...names, ...former, ...formerSettingNames, ...removedSettingNames]
      .flatMap((name) => [name, `${name}_FILE`])
      .concat(otherVariables),
  );
  const mistyped: string[] = [];
  const others: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (text === undefined || !name.startsWith('MILLRACE_') || known.has(name)) continue;
    if (serviceLinkName.test(name) || serviceLinkValue.test(text)) continue;
    const nearest = nearestName(name, names);
    if (nearest === undefined) others.push(`${name} is not a setting`);
    else
      (nearest in definition ? mistyped : others).push(`${name} is not a setting; did you mean ${nearest}?`);
  }
  return { mistyped, others };
}
