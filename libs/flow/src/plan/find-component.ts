import type { Component, ComponentRegistry } from '../component/component';
import { langflowBundles } from './langflow-bundles';

/**
 * Finds the component for a saved type: by type or alias or, for types of Langflow's bundles, such as
 * `ext:<bundle>:<Class>@official`, by the class name with or without the suffix "Component".
 */
export function findComponent(registry: ComponentRegistry, type: string): Component | null {
  for (const name of typeNames(type)) {
    const component = registry.find(name);
    if (component !== undefined) return component;
  }
  return null;
}

/** Returns why a type has no component, as the end of a sentence. */
export function missingReason(registry: ComponentRegistry, type: string): string {
  for (const name of typeNames(type)) {
    const reason = registry.missingReason?.(name);
    if (reason !== undefined) return reason;
  }
  const extension = extensionOf(type);
  return extension === null || extension.isLangflows
    ? 'there is no component of this type.'
    : `it comes from the extension "${extension.bundle}", which is not installed here.`;
}

/** Returns the names under which a saved type can be registered. */
export function typeNames(type: string): readonly string[] {
  const className = bundledClass(type);
  return className === null ? [type] : [type, className, className.replace(/Component$/, '')];
}

/** Returns the class name of a type of Langflow's bundles; null for other types, those of other extensions included. */
export function bundledClass(type: string): string | null {
  const extension = extensionOf(type);
  return extension?.isLangflows === true ? extension.className : null;
}

interface Extension {
  readonly bundle: string;
  readonly className: string;
  /** Langflow itself ships the bundle. */
  readonly isLangflows: boolean;
}

/**
 * Reads a type such as `ext:datastax:AstraDBVectorStoreComponent@official`; returns null for types of another form.
 * Langflow marks packages as `official`, in older files as `official-pre-a`, and folders of one installation as `extra`.
 */
export function extensionOf(type: string): Extension | null {
  const [, bundle = '', className = '', slot = ''] = /^ext:([^:]+):([^:@]+)@([^@]+)$/.exec(type) ?? [];
  if (className === '') return null;
  const isPackage = slot === 'official' || slot === 'official-pre-a';
  return { bundle, className, isLangflows: isPackage && langflowBundles.has(bundle) };
}
