/**
 * Why a run has a further attempt: the one before failed and the flow's rule allows another, its executor gave it back or
 * handed it off, or its executor was lost. `redelivered`: the broker delivered the job of a run without a row again. `suspended`: a person has
 * answered.
 */
export type RepeatReason =
  'failed' | 'given_back' | 'handed_off' | 'executor_lost' | 'redelivered' | 'suspended';
