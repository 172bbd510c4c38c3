import type { Component, ComponentRegistry } from '@millrace/flow';
import { missingTypes } from './missing-types';
import { components } from './registry.generated';

/** Every component there is. */
export const componentRegistry: ComponentRegistry = registryOf(components);

/** A registry of these components; throws when two share a type or an alias. */
export function registryOf(all: readonly Component[]): ComponentRegistry {
  const byName = new Map<string, Component>();
  for (const component of all) {
    for (const name of [component.type, ...(component.aliases ?? [])]) {
      const other = byName.get(name);
      if (other !== undefined) {
        throw new Error(
          `Two components are called "${name}": ${other.displayName} and ${component.displayName}.`,
        );
      }
      byName.set(name, component);
    }
  }
  return { all, find: (type) => byName.get(type), whyMissing: (type) => missingTypes.get(type) };
}
