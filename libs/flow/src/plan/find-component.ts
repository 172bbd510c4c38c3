import type { Component, ComponentRegistry } from '../component/component';

/**
 * Finds the component for a saved type: by type or alias or, for types of the form `ext:<bundle>:<Class>@official`, by
 * the class name with or without the suffix "Component".
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
  const extension = otherExtension(type);
  return extension === null
    ? 'there is no component of this type.'
    : `it comes from the extension "${extension}", which is not installed here.`;
}

/** Returns the names under which a saved type can be registered. */
export function typeNames(type: string): readonly string[] {
  const className = extensionClass(type);
  return className === null ? [type] : [type, className, className.replace(/Component$/, '')];
}

/**
 * Returns "AstraDBVectorStoreComponent" for "ext:datastax:AstraDBVectorStoreComponent@official"; null for other types.
 */
export function extensionClass(type: string): string | null {
  return /^ext:[^:]+:([^:@]+)@[^@]+$/.exec(type)?.[1] ?? null;
}

/** Returns "maps" for "ext:maps:Route@extra"; null for Langflow's own components and bundles (`@official`). */
function otherExtension(type: string): string | null {
  return /^ext:([^:]+):[^:@]+@(?!official$)[^@]+$/.exec(type)?.[1] ?? null;
}
