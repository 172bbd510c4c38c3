"""Runs Langflow components that have no native implementation, for an executor.

The executor starts one zygote (``python -m millrace_worker``). The zygote imports lfx once and forks a process for each
lease on command. A process runs the vertices of one run at a time.
"""

PROTOCOL = 1
