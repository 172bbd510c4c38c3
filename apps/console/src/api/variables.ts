import { useQuery } from '@tanstack/react-query';
import { call } from './client';
import type { Schemas } from './answers';

export type Variable = Schemas['Variable'];

/** The variables of the user, without their values. */
export const useVariables = () =>
  useQuery({
    queryKey: ['variables'],
    queryFn: ({ signal }) => call<Variable[]>('/api/v1/variables/', { signal }),
  });
