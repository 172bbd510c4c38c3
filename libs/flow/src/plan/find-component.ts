import type { Component, ComponentRegistry } from '../component/component';

/**
 * The component that implements a saved type: by its name or an alias, or, for the newer spelling
 * `ext:<bundle>:<Class>@official`, by the class name with or without its "Component".
 */
export function findComponent(registry: ComponentRegistry, type: string): Component | null {
  for (const name of namesOf(type)) {
    const component = registry.find(name);
    if (component !== undefined) return component;
  }
  return null;
}

/** What there is to say of a type without a component: the end of a sentence. */
export function whyMissing(registry: ComponentRegistry, type: string): string {
  for (const name of namesOf(type)) {
    const reason = registry.whyMissing?.(name);
    if (reason !== undefined) return reason;
  }
  return 'there is no component of this type.';
}

function namesOf(type: string): readonly string[] {
  const className = extensionClass(type);
  return className === null ? [type] : [type, className, className.replace(/Component$/, '')];
}

/** "AstraDBVectorStoreComponent" of "ext:datastax:AstraDBVectorStoreComponent@official", else null. */
export function extensionClass(type: string): string | null {
  return /^ext:[^:]+:([^:@]+)@[^@]+$/.exec(type)?.[1] ?? null;
}
