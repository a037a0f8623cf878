// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/target/layout.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace prismllm::target {
namespace {

enum class Axis : std::uint8_t { tensor, context, expert, data, pipeline };

struct MeshAxis {
    Axis axis = Axis::tensor;
    std::int64_t size = 1;
};
/// How ranks are numbered along four axes, fastest first.
using Mesh = std::array<MeshAxis, 4>;

Mesh ordered(RankOrder order, Mesh mesh) {
    if (order == RankOrder::tp_cp_ep_pp_dp) {
        std::swap(mesh[2], mesh[3]);
    }
    return mesh;
}

/// The mesh of all layers but the experts.
Mesh dense_mesh(const Layout& layout) {
    return ordered(layout.order, {{{Axis::tensor, layout.tensor},
                                   {Axis::context, layout.context},
                                   {Axis::data, layout.data},
                                   {Axis::pipeline, layout.pipeline}}});
}

/// The mesh of the experts: their gradients reduce over the context ranks too, as data.
Mesh expert_mesh(const Layout& layout) {
    return ordered(layout.order, {{{Axis::tensor, layout.expert_tensor},
                                   {Axis::expert, layout.expert},
                                   {Axis::data, layout.expert_data},
                                   {Axis::pipeline, layout.pipeline}}});
}

std::int64_t& along(Coordinates& c, Axis axis) {
    switch (axis) {
        case Axis::tensor:
            return c.tensor;
        case Axis::context:
            return c.context;
        case Axis::data:
            return c.data;
        case Axis::pipeline:
            return c.pipeline;
        case Axis::expert:
            break;
    }
    PRISMLLM_ASSERT(false, "the dense mesh has no expert axis");
    return c.data;
}

/// Members vary along `spanned`, groups along the other axes, both in rank order.
graph::Family family_over(const Mesh& mesh, const char* name, graph::FamilyKind kind,
                          std::initializer_list<Axis> spanned) {
    graph::Family family;
    family.name = name;
    family.kind = kind;
    std::int64_t stride = 1;
    for (const MeshAxis& along : mesh) {
        const bool inside = std::find(spanned.begin(), spanned.end(), along.axis) != spanned.end();
        (inside ? family.members : family.groups).push_back({along.size, stride});
        stride *= along.size;
    }
    return family;
}

/// First and last pipeline stage. With one stage nothing is shared: a family without groups.
graph::Family embedding_family(const Layout& layout) {
    graph::Family family = family_over(dense_mesh(layout), "embedding",
                                       graph::FamilyKind::embedding, {Axis::pipeline});
    if (layout.pipeline == 1) {
        family.members.clear();
        family.groups.clear();
        family.group_offsets = {0};
        return family;
    }
    graph::Axis& stages = family.members.front();
    stages = {2, stages.stride * (layout.pipeline - 1)};
    return family;
}

}  // namespace

Coordinates Layout::coordinates(std::int64_t rank) const {
    PRISMLLM_ASSERT(rank >= 0 && rank < world_size, "the rank belongs to the target job");
    Coordinates c;
    for (const MeshAxis& mesh_axis : dense_mesh(*this)) {
        along(c, mesh_axis.axis) = rank % mesh_axis.size;
        rank /= mesh_axis.size;
    }
    return c;
}

std::int64_t Layout::rank_of(const Coordinates& c) const {
    Coordinates position = c;
    std::int64_t rank = 0;
    std::int64_t stride = 1;
    for (const MeshAxis& mesh_axis : dense_mesh(*this)) {
        const std::int64_t place = along(position, mesh_axis.axis);
        PRISMLLM_ASSERT(place >= 0 && place < mesh_axis.size, "the coordinate lies on its axis");
        rank += place * stride;
        stride *= mesh_axis.size;
    }
    return rank;
}

std::vector<graph::Family> families_of(const Layout& layout) {
    using graph::FamilyKind;
    using enum Axis;
    const Mesh dense = dense_mesh(layout);
    std::vector<graph::Family> families{
        family_over(dense, "tp", FamilyKind::tensor, {tensor}),
        family_over(dense, "cp", FamilyKind::context, {context}),
        family_over(dense, "dp", FamilyKind::data, {data}),
        family_over(dense, "dp_cp", FamilyKind::data_context, {context, data}),
        family_over(dense, "pp", FamilyKind::pipeline, {pipeline}),
        embedding_family(layout),
        family_over(dense, "model", FamilyKind::model, {tensor, pipeline}),
        family_over(dense, "world", FamilyKind::world, {tensor, context, data, pipeline}),
    };
    if (layout.experts_per_rank > 0) {
        const Mesh mesh = expert_mesh(layout);
        families.push_back(family_over(mesh, "ep", FamilyKind::expert, {expert}));
        families.push_back(family_over(mesh, "etp", FamilyKind::expert_tensor, {tensor}));
        families.push_back(family_over(mesh, "edp", FamilyKind::expert_data, {data}));
        families.push_back(family_over(mesh, "etp_ep", FamilyKind::expert_mesh, {tensor, expert}));
        families.push_back(
            family_over(mesh, "etp_ep_pp", FamilyKind::expert_model, {tensor, expert, pipeline}));
    }
    return families;
}

std::int64_t pad_vocabulary(std::int64_t vocab, std::int64_t multiple, std::int64_t tensor) {
    const std::int64_t unit = multiple * tensor;
    return (vocab + unit - 1) / unit * unit;
}

Model with_defaults(Model model) {
    if (model.ffn_hidden_size == 0) {
        model.ffn_hidden_size = 4 * model.hidden_size;
    }
    if (model.kv_heads == 0) {
        model.kv_heads = model.attention_heads;
    }
    if (model.head_dim == 0 && model.attention_heads > 0) {
        model.head_dim = model.hidden_size / model.attention_heads;
    }
    if (model.experts > 0 && model.expert_ffn_hidden_size == 0) {
        model.expert_ffn_hidden_size = model.ffn_hidden_size;
    }
    return model;
}

}  // namespace prismllm::target
