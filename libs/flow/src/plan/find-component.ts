import type { Component, ComponentRegistry } from '../component/component';

/**
 * The component that implements a saved type: by its name or an alias, or, for the newer spelling
 * `ext:<bundle>:<Class>@official`, by the class name with or without its "Component".
 */
export function findComponent(registry: ComponentRegistry, type: string): Component | null {
  const className = extensionClass(type);
  const names = className === null ? [type] : [type, className, className.replace(/Component$/, '')];
  for (const name of names) {
    const component = registry.find(name);
    if (component !== undefined) return component;
  }
  return null;
}

/** "AstraDBVectorStoreComponent" of "ext:datastax:AstraDBVectorStoreComponent@official", else null. */
export function extensionClass(type: string): string | null {
  return /^ext:[^:]+:([^:@]+)@[^@]+$/.exec(type)?.[1] ?? null;
}
