export { ComponentError, InvalidFlowError, MillraceError, RunError } from './errors';
export type { RunErrorCode } from './errors';
export { PythonFloat } from './python/python-float';
export { Data } from './values/data';
export { DataFrame } from './values/data-frame';
export { Message } from './values/message';
export type { MessageFields, MessageProperties, MessageSource, MessageUsage } from './values/message';
export type { ModelHandle, PythonObject, PythonValue } from './values/python-value';
export { defineComponent } from './component/component';
export type { Component, ComponentOutputs, ComponentRegistry, Output } from './component/component';
export type { ComponentContext, MessageQuery, WiredVertex } from './component/component-context';
export type { Input, InputValues } from './component/input';
export type { FlowProblem, Plan, PlanEdge, PlanField, PlanVertex } from './plan/plan';
export type {
  InputType,
  OutputSelection,
  OutputType,
  RunInput,
  RunRequest,
  Tweaks,
  TweakValue,
} from './run/run-request';
export type { ResultData, RunOutputs, RunResponse, TokenUsage } from './run/run-response';
export type { RunEvent } from './run/run-event';
