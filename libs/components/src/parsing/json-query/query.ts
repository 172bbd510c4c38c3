import type { PythonValue } from '@millrace/python-text';

/** A parsed jq expression. Each expression returns any number of values for one value. */
export type Query =
  | { readonly kind: 'identity' }
  | { readonly kind: 'recurse' }
  | { readonly kind: 'literal'; readonly value: PythonValue }
  | { readonly kind: 'index'; readonly target: Query; readonly key: Query }
  | {
      readonly kind: 'slice';
      readonly target: Query;
      readonly from: Query | null;
      readonly to: Query | null;
    }
  | { readonly kind: 'iterate'; readonly target: Query }
  | { readonly kind: 'try'; readonly body: Query }
  | { readonly kind: 'pipe'; readonly left: Query; readonly right: Query }
  | { readonly kind: 'comma'; readonly left: Query; readonly right: Query }
  | { readonly kind: 'list'; readonly body: Query | null }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [Query, Query])[] }
  | {
      readonly kind: 'operation';
      readonly operator: string;
      readonly left: Query;
      readonly right: Query;
    }
  | {
      readonly kind: 'condition';
      readonly test: Query;
      readonly then: Query;
      readonly otherwise: Query;
    }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Query[] };
