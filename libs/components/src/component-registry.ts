import type { Component, ComponentRegistry } from '@millrace/flow';
import { missingTypes } from './missing-types';
import { components } from './registry.generated';

const loaders = new Map(Object.entries(components));

/** The registry of all components. */
export const componentRegistry: ComponentRegistry = {
  get all() {
    return [...new Set([...loaders.values()].map((load) => load()))];
  },
  find: (name) => loaders.get(name)?.(),
  missingReason: (type) => missingTypes.get(type),
};

/** Returns a registry of given components, such as those of a test. Throws when two of them share a type or an alias. */
export function registryOf(all: readonly Component[]): ComponentRegistry {
  const byName = new Map<string, Component>();
  for (const component of all) {
    for (const name of [component.type, ...(component.aliases ?? [])]) {
      const other = byName.get(name);
      if (other !== undefined) {
        throw new Error(
          `Two components have the name "${name}": ${other.displayName} and ${component.displayName}.`,
        );
      }
      byName.set(name, component);
    }
  }
  return { all, find: (type) => byName.get(type), missingReason: (type) => missingTypes.get(type) };
}
