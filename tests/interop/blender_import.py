"""Imports clips into Blender and compares what it shows with the recorded positions.

    blender -b --python-exit-code 1 -P blender_import.py -- FOLDER FRAMES_PER_SECOND BODY=ERROR ...

FOLDER holds the same clip as clip.glb, npy/BODY.surface.npy, pc2/BODY.{obj,pc2} and mdd/BODY.{obj,mdd}; ERROR is the
largest distance allowed in the GLB. Point caches must be exact.
"""
import os
import sys

import numpy as np

np.bool = bool  # the glTF importer of Blender 3.4 uses the name that numpy 1.24 dropped
import bpy

folder, fps, *bodies = sys.argv[sys.argv.index("--") + 1:]
fps = int(fps)
allowed = {name: float(error) for name, error in (body.rsplit("=", 1) for body in bodies)}
failures = []


def new_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps
    bpy.context.scene.frame_start = 0


def shown(thing):
    """Vertices as drawn, in world coordinates turned back to y up: Blender's (x, y, z) is our (x, z, -y)."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    local = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", local)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world, np.float64)
    world = local.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def compare(what, thing, recorded, error):
    worst = 0.0
    for frame in sorted({0, 1, len(recorded) // 3, len(recorded) // 2, len(recorded) - 1}):
        bpy.context.scene.frame_set(frame)
        found = shown(thing)
        if len(found) < recorded.shape[1]:
            failures.append(f"{what}: {len(found)} vertices instead of {recorded.shape[1]}")
            return
        worst = max(worst, np.linalg.norm(found[:recorded.shape[1]] - recorded[frame], axis=1).max())
    print(f"{what}: worst error {worst:.3g}, allowed {error:.3g}")
    if not worst <= error:
        failures.append(f"{what}: off by {worst}, allowed {error}")


recorded = {name: np.load(os.path.join(folder, "npy", name + ".surface.npy")) for name in allowed}
rounding = {name: 1e-6 * np.abs(positions).max() for name, positions in recorded.items()}

new_scene()
bpy.ops.import_scene.gltf(filepath=os.path.join(folder, "clip.glb"))
for name, error in allowed.items():
    compare(f"glb {name}", bpy.data.objects[name], recorded[name], error + rounding[name])

for kind in ("pc2", "mdd"):
    for name in allowed:
        new_scene()
        bpy.ops.wm.obj_import(filepath=os.path.join(folder, kind, name + ".obj"))
        thing = bpy.context.selected_objects[0]
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format = kind.upper()
        cache.filepath = os.path.join(folder, kind, f"{name}.{kind}")
        cache.frame_start = 0
        compare(f"{kind} {name}", thing, recorded[name], rounding[name])

for failure in failures:
    print("FAILED", failure)
print("blender", bpy.app.version_string, "failures:", len(failures))
sys.exit(1 if failures else 0)
