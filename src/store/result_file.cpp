// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/store/result_file.hpp"

#include "complete_file.hpp"
#include "file_header.hpp"
#include "rank_columns.hpp"
#include "result_shares.hpp"
#include "result_tables.hpp"

namespace prismllm::store {

Status write_result(const std::filesystem::path& path, const ResultData& data,
                    const Provenance& provenance) {
    if (auto status = check_share(data); !status) {
        return status;
    }
    const auto shape = shape_of(data);
    if (data.ranks.virtual_rank.size() != shape.ranks) {
        return fail(ErrorCode::internal, "a result of {} virtual ranks holds {} (all are needed)",
                    shape.ranks, data.ranks.virtual_rank.size());
    }
    FileWriter writer{Compression{}};
    write_header(writer, result_format, data.facts.title, provenance);
    write_result_tables(writer, data, data.timeline.size());
    write_rank_columns(writer.id(), alone(shape.ranks), shape, data.ranks);
    write_timeline(writer.id(), alone(data.timeline.size()), data.timeline);

    UnfinishedFile file{path};
    if (auto status = file.write(std::move(writer).finish()); !status) {
        return status;
    }
    return file.commit();
}

Expected<StoredResult> read_result(const std::filesystem::path& path) {
    return guarded_read(path.string(), [&] {
        const FileReader file{path};
        check_header(file, result_format);
        StoredResult result{read_result_tables(file), read_provenance(file)};
        result.data.ranks = read_rank_columns(file, shape_of(result.data));
        result.data.timeline = read_timeline(file, result.data);
        check_references(result.data);
        return result;
    });
}

Expected<std::string> format_of(const std::filesystem::path& path) {
    return guarded_read(path.string(), [&] {
        const FileReader file{path};
        return file.root().text("format");
    });
}

Expected<Provenance> provenance_of(const std::filesystem::path& path) {
    return guarded_read(path.string(), [&] { return read_provenance(FileReader{path}); });
}

}  // namespace prismllm::store
