import type { Callback, FlowSettings } from '@millrace/flow';

/** A place that names a variable of the flow's owner. */
export interface VariableReference {
  /** The members that lead to the name. */
  readonly path: readonly (string | number)[];
  readonly name: string;
  /** What the variable has to contain: any text, or the URL of a broker as a credential. */
  readonly holds: 'text' | 'broker';
}

/** Returns the variables that the settings of a flow name. */
export function variablesOfSettings({ webhook, callbacks }: FlowSettings): readonly VariableReference[] {
  return [
    ...textNames(webhook?.signature?.secrets, ['webhook', 'signature', 'secrets']),
    ...textNames(webhook?.challenge?.secrets, ['webhook', 'challenge', 'secrets']),
    ...(callbacks ?? []).flatMap((callback, index) => variablesOfCallback(callback, ['callbacks', index])),
  ];
}

function variablesOfCallback(
  { secrets, amqp }: Callback,
  path: VariableReference['path'],
): readonly VariableReference[] {
  const broker = amqp && {
    path: [...path, 'amqp', 'connection'],
    name: amqp.connection,
    holds: 'broker' as const,
  };
  return [...textNames(secrets, [...path, 'secrets']), ...(broker ? [broker] : [])];
}

function textNames(
  names: readonly string[] = [],
  path: VariableReference['path'],
): readonly VariableReference[] {
  return names.map((name, index) => ({ path: [...path, index], name, holds: 'text' }));
}
