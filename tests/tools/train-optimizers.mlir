// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that follow by hand: the loss is w x with x = (3, -4), so the gradient is x, and after one update from w = 0 the loss says
// what the update was.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 3x2 3 -4 3 -4 3 -4
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U1 --input-file=%t/log %s
// U1: "step":2,"epoch":0,"loss":{{-2\.(5|4999|5000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='adam(0.1)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U2 --input-file=%t/log %s
// U2: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='lion(0.1, weight_decay=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U3 --input-file=%t/log %s
// U3: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sign_sgd(0.1)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U4 --input-file=%t/log %s
// U4: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='chain(clip_by_global_norm(1.0), sgd(0.1))' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U5 --input-file=%t/log %s
// U5: "step":2,"epoch":0,"loss":{{-0\.(5|4999|5000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='adagrad(0.1, initial_accumulator_value=0.0, eps=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U6 --input-file=%t/log %s
// U6: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='rmsprop(0.1, decay=0.0, eps=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U7 --input-file=%t/log %s
// U7: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='chain(clip(1.0), scale(-0.1))' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U8 --input-file=%t/log %s
// U8: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='novograd(0.1, eps=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U9 --input-file=%t/log %s
// U9: "step":2,"epoch":0,"loss":{{-0\.(5|4999|5000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='lamb(0.1, eps=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U10 --input-file=%t/log %s
// U10: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='radam(0.1)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U11 --input-file=%t/log %s
// U11: "step":2,"epoch":0,"loss":{{-2\.(5|4999|5000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='adamax(0.1, eps=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U12 --input-file=%t/log %s
// U12: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='lars(0.1, momentum=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U13 --input-file=%t/log %s
// U13: "step":2,"epoch":0,"loss":{{-2\.(5|4999|5000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1, momentum=0.5, nesterov=True)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U14 --input-file=%t/log %s
// U14: "step":2,"epoch":0,"loss":{{-3\.(75|7499|7500)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='amsgrad(0.1)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U15 --input-file=%t/log %s
// U15: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='nadam(0.1, b1=0.0)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U16 --input-file=%t/log %s
// U16: "step":2,"epoch":0,"loss":{{-0\.(7|69999|70000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='masked(sgd(0.1), [])' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U17 --input-file=%t/log %s
// U17: "step":2,"epoch":0,"loss":25,
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='chain(masked(set_to_zero(), "w"), sgd(0.1))' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U18 --input-file=%t/log %s
// U18: "step":2,"epoch":0,"loss":{{-?0}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='apply_if_finite(sgd(0.1), 3)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U19 --input-file=%t/log %s
// U19: "step":2,"epoch":0,"loss":{{-2\.(5|4999|5000)[0-9]*}},
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='MultiSteps(sgd(0.1), every_k_schedule=2)' --batch-size=1 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=U20 --input-file=%t/log %s
// U20: "step":2,"epoch":0,"loss":{{-?0}},
//
// A schedule sees the number of updates before; the rate is in the log.
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(join_schedules([linear_schedule(0.5, 1.0, 2), piecewise_constant_schedule(0.25, {1: 0.5})], [2]))' --batch-size=1 --steps=4 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=RATE --input-file=%t/log %s
// RATE: "learning_rate":0.5,
// RATE-NEXT: "learning_rate":0.75,
// RATE-NEXT: "learning_rate":0.25,
// RATE-NEXT: "learning_rate":0.125,
//
// A step runs elsewhere: standard operators, state in and out.
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='adam(0.1)' --batch-size=1 --export-step=%t/step.onnx --opset=17
// RUN: %python %S/Inputs/npy.py write %t/row.npy '<f4' 1x2 3 -4
// RUN: %python %S/Inputs/npy.py write %t/w.npy '<f4' 2 0 0
// RUN: %python %S/Inputs/npy.py write %t/count.npy '<i4' '' 0
// RUN: zenith-run %t/step.onnx --in w=%t/w.npy --in opt/0/count=%t/count.npy --in opt/0/mu/w=%t/w.npy --in opt/0/nu/w=%t/w.npy --in x=%t/row.npy --out-dir %t/out
// RUN: %python %S/Inputs/npy.py print %t/out/1.npy | FileCheck --check-prefix=EXPORT %s
// EXPORT: [-0.{{(0999|1)[0-9]*}}, 0.{{(0999|1)[0-9]*}}]
//
// The IR of the step, and what it takes.
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='adam(0.1)' --batch-size=1 --emit=graphir | FileCheck --check-prefix=STEP %s
// STEP: func.func private @objective_grad({{.*}} attributes {graph.derive = {of = @objective, options = "wrt=0", rule = "grad"}}
// STEP: func.func @step(%{{.*}}: tensor<2xf32> {graph.donated, graph.name = "w"}
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='adam(0.1)' --batch-size=1 --report=memory | FileCheck --check-prefix=MEMORY %s
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='adam(0.1)' --batch-size=1 --steps=1 --memory-timeline=%t/timeline.json
// RUN: FileCheck --check-prefix=TIMELINE --input-file=%t/timeline.json %s
// TIMELINE: "buffers"
// MEMORY: "optimiser":{"bytes":20,"formula":"20"},"parameters":{"bytes":8,"formula":"8"}

graph.param @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<1x2xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.get_param @w : tensor<2xf32>
  %row = graph.reshape %x : tensor<1x2xf32> -> tensor<2xf32>
  %product = graph.mul %row, %w : tensor<2xf32>
  %loss = graph.reduce sum, %product [0] : tensor<2xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
