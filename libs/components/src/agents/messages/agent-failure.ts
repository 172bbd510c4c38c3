import { ComponentError } from '@millrace/flow';

/** Returns the error of an agent: its text ends with a full stop, and its stored message shows what the agent failed with. */
export function agentFailure(error: ComponentError): ComponentError {
  const { message, permanent, kind, shown } = error;
  return new ComponentError(`${message}.`, error, { permanent, kind, shown });
}
