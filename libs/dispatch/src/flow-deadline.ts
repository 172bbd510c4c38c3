import type { FlowReference } from '@millrace/runs';

/** Returns the shorter one of a deadline and that of the flow, in milliseconds. */
export function withinFlowDeadline(
  { settings }: Pick<FlowReference, 'settings'>,
  milliseconds: number,
): number {
  const { deadlineSeconds } = settings;
  return deadlineSeconds === undefined ? milliseconds : Math.min(milliseconds, deadlineSeconds * 1_000);
}
