import { toData } from '@millrace/flow';
import { Data, Message, messageMembers } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Returns a flow's output as data; a message with all its fields. */
export function dataOfOutput(value: PythonValue): Data {
  return value instanceof Message ? new Data(messageMembers(value)) : toData(value);
}
