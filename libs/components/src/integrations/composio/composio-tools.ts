import { argumentsDigest, jsonValue } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { jsonDumpsCompact } from '@millrace/python-text';
import { executeComposioAction } from './composio-client';
import type { ComposioAccess, ComposioAction } from './composio-client';

/** Returns actions as tools for a language model, in the given order. */
export function composioTools(
  actions: readonly ComposioAction[],
  access: ComposioAccess,
  context: ComponentContext,
): readonly ToolHandle[] {
  return actions.map(({ slug, description, parameters }) => ({
    kind: 'tool',
    name: slug.replace(/[^\w-]/g, '-').slice(0, 64),
    description,
    parameters: { type: 'object', properties: {}, ...(jsonValue(parameters) as object) },
    call: async (given) =>
      context.effect(`${slug} ${argumentsDigest(given)}`, async () =>
        jsonDumpsCompact(await executeComposioAction(access, slug, given, context)),
      ),
  }));
}

/** Returns the actions with the given names, in the order of the names. */
export function chosenActions(
  actions: readonly ComposioAction[],
  names: readonly string[],
): readonly ComposioAction[] {
  return names.flatMap((name) => actions.find((action) => isNamed(action, name)) ?? []);
}

/** Returns whether `wanted` names the action: files contain either its slug or its display name. */
export function isNamed({ slug, name }: ComposioAction, wanted: string): boolean {
  const normalized = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return normalized(slug) === normalized(wanted) || normalized(name) === normalized(wanted);
}
