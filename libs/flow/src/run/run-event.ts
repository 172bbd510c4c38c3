/** An event of a run, in the order in which a streaming caller receives it; `data` is ready for JSON.stringify. */
export type RunEvent =
  | {
      readonly event: 'add_message' | 'remove_message';
      readonly data: Readonly<Record<string, unknown>>;
    }
  | { readonly event: 'token'; readonly data: { readonly chunk: string; readonly id: string } }
  | {
      readonly event:
        'vertices_sorted' | 'build_start' | 'build_end' | 'end_vertex' | 'log' | 'human_input_required';
      readonly data: Readonly<Record<string, unknown>>;
    }
  | { readonly event: 'error'; readonly data: Readonly<Record<string, unknown>> };
