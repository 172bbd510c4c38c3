import type { MillraceClient } from '../client/millrace-client';
import { CliError } from '../cli-error';
import { ExportMembers } from './export-members';
import type { ComponentSource, LangflowCode } from './langflow-code';

type Component = { readonly template?: { readonly code?: { readonly value?: unknown } } } | null;
type Groups = Readonly<Record<string, Readonly<Record<string, Component>> | null>>;

/** Reads the components that a running Langflow lists. Throws CliError. */
export async function readRunningLangflow(api: MillraceClient): Promise<LangflowCode> {
  const groups = await api.json<Groups>('/api/v1/all', { query: { force_refresh: false } });
  const components = Object.values(groups ?? {}).flatMap((group) => Object.entries(group ?? {}));
  if (components.length === 0)
    throw new CliError('refused', `${api.url} lists no components: is it a Langflow?`);
  const sources: ComponentSource[] = [];
  const members = new ExportMembers();
  for (const [type, component] of components) {
    const text = component?.template?.code?.value;
    if (typeof text === 'string' && text !== '') sources.push({ type, text });
    members.addComponent(component);
  }
  return { sources, members };
}
