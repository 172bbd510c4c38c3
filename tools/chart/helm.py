# Runs a command of Helm, as a library of Python: reads {"command": …} with its arguments as JSON from standard input, and
# prints {"value": …} or {"error": …}.
import json
import sys

import helm_python as helm


def render(chart, values, name, namespace):
    with helm.Chart.load(chart) as loaded:
        merged = {}
        for text in values:
            merged = merge(merged, helm.values_from_yaml(text))
        return loaded.render(merged, name=name, namespace=namespace)


def merge(base, over):
    """Merges values files as Helm does: maps are merged, other values are replaced."""
    both = {
        key: merge(base[key], over[key])
        for key in base.keys() & over.keys()
        if isinstance(base[key], dict) and isinstance(over[key], dict)
    }
    return {**base, **over, **both}


def lint(chart, values):
    return helm.lint(chart, helm.values_from_yaml(values), strict=True)


def package(chart, folder):
    return helm.package(chart, destination=folder)


def push(file, registry):
    return helm.push(file, registry, plain_http=registry.startswith("oci://127.0.0.1:"))


def pull(reference, version, folder):
    plain_http = reference.startswith("oci://127.0.0.1:")
    return helm.pull(reference, version=version, destination=folder, plain_http=plain_http)


COMMANDS = {"render": render, "lint": lint, "package": package, "push": push, "pull": pull}


def answer(request):
    try:
        return {"value": COMMANDS[request.pop("command")](**request)}
    except helm.HelmError as error:
        return {"error": str(error)}


print(json.dumps(answer(json.load(sys.stdin))))
