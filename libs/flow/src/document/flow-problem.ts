/** A problem of a flow, for its author. If `blocks` is true, runs that would reach the vertex are refused. */
export interface FlowProblem {
  readonly code:
    | 'unknown_component'
    | 'edited_code'
    | 'python_unavailable'
    | 'package_missing'
    | 'code_not_approved'
    | 'invalid_edge'
    | 'dangling_edge'
    | 'invalid_node'
    | 'missing_part'
    | 'unknown_field'
    | 'too_large'
    | 'approval_unsupported'
    | 'shared_history'
    | 'unknown_member';
  readonly blocks: boolean;
  readonly vertexId: string | null;
  readonly componentType: string | null;
  readonly message: string;
}
